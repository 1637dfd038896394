import { allowsProgram, namingOf } from "./command-pattern.js";
import type { Effect, GuardRule, RuleSubject } from "./guard-rule.js";
import { allowsTool, concernsTool, type GuardTool } from "./tool-pattern.js";
import { type GuardPath, isNamedBy, matchesPath, type PatternFolders } from "./path-pattern.js";

/** A tool call as the agent describes it. */
export interface GuardedCall {
  /** ACP `ToolKind` of the call. */
  readonly kind: string;
  readonly rawInput: unknown;
  /** Paths that the call names, absolute or relative to the session's folder. */
  readonly locations: readonly string[];
  /** MCP tools that the call may be about. */
  readonly tools?: readonly GuardTool[];
  /** Whether the call arrived through an MCP server of Symposium. The tool then decides how it uses the named files. */
  readonly isBridged?: boolean;
  /** Whether the call is only a question to the user in the form of a tool call. If so, its kind has no meaning. */
  readonly isQuestion?: boolean;
}

/** Analysis of a tool call, computed once per call. */
export interface GuardRequest {
  /** ACP `ToolKind` according to the agent. */
  readonly kind?: string;
  readonly command?: GuardedCommand;
  /** Files that the call names, except those named in a command. */
  readonly paths: readonly GuardPath[];
  /** Files named in an MCP tool's arguments. The tool may read or write these files. */
  readonly named?: readonly GuardPath[];
  /** MCP tools that the call may be about. Deny and ask rules match any of them. */
  readonly tools: readonly GuardTool[];
  /** MCP tool of the call, if the agent reports it reliably. Titles of other calls can contain text from the model. */
  readonly tool?: GuardTool;
  /** Host that the call fetches from. */
  readonly host?: { readonly name: string; readonly port: string; readonly origin?: string };
}

export interface GuardedCommand {
  readonly text: string;
  /** Absolute real path of the working directory. */
  readonly cwd?: string;
  /** Whether the agent gave the command as separate words that aren't run by a shell. If so, `text` is the equivalent shell command. */
  readonly isWords?: boolean;
  /** All programs that the command starts; undefined if unknown. */
  readonly parts:
    | readonly { readonly words: readonly string[]; readonly grant: readonly string[] | undefined }[]
    | undefined;
  /** Words of all programs found anywhere in the command. */
  readonly programs: readonly (readonly string[])[];
  /** Files that the command may use: those its words may name, treated as read if the use is unknown, and those it writes its output to. */
  readonly paths: readonly GuardPath[];
  /** Whether the command runs in the session's folders, and nothing such as environment variables changes its behavior. */
  readonly isPlain: boolean;
}

export interface Decision {
  readonly effect: Effect;
  /** Rule that decided; undefined if the guard asks because a command is unreadable. */
  readonly rule?: GuardRule;
}

/**
 * Decides a request. Deny rules take precedence over ask rules, and ask rules over allow rules, regardless of their file and precision; a
 * request is allowed only if every part is. Returns undefined if no rule applies.
 */
export function decide(
  rules: readonly GuardRule[],
  request: GuardRequest,
  folders: PatternFolders,
): Decision | undefined {
  const concerned = rules
    .filter((rule) => rule.effect !== "allow" && concernsRequest(rule, request, folders))
    .map((rule) => ({ effect: effectOn(rule, request, folders), rule }));
  const strictest = concerned.find(({ effect }) => effect === "deny") ?? concerned[0];
  if (strictest) return strictest;
  const limitsCommands = rules.some(
    ({ effect, subject }) => effect !== "allow" && subject !== "host" && subject !== "mcp",
  );
  if (request.command && request.command.parts === undefined && limitsCommands) return { effect: "ask" };
  const allowing = allowingRule(
    rules.filter(({ effect, kind }) => effect === "allow" && (kind === undefined || kind === request.kind)),
    request,
    folders,
  );
  return allowing && { effect: "allow", rule: allowing };
}

function concernsRequest(
  rule: GuardRule,
  { command, paths, tools, host, named = [] }: GuardRequest,
  folders: PatternFolders,
): boolean {
  const { subject, patterns, except } = rule;
  const names = (path: GuardPath): boolean => patterns.some((pattern) => matchesPath(pattern, path, folders));
  switch (subject) {
    case "command":
      return namingsIn(rule, command).some((naming) => naming !== undefined);
    case "read":
    case "write":
      return [...paths.filter(({ use }) => use === subject), ...named, ...(command?.paths ?? [])].some(names);
    case "mcp":
      return tools.some((tool) => patterns.some((pattern) => concernsTool(pattern, tool)));
    case "host":
      if (host === undefined) return false;
      return except ? !except.some((one) => isHost(one, host)) : patterns.some((pattern) => isHost(pattern, host));
  }
}

function namingsIn(
  { patterns }: GuardRule,
  command: GuardedCommand | undefined,
): readonly ReturnType<typeof namingOf>[] {
  const programs = command?.programs ?? [];
  return programs.flatMap((words) => patterns.map((pattern) => namingOf(pattern, words)));
}

/**
 * Returns a rule's effect on a request. Weakens deny to ask if it's uncertain that the rule applies: a command or tool may only read the
 * named file, and an unknown program may not run the program named in its arguments.
 */
function effectOn(rule: GuardRule, { command, paths }: GuardRequest, folders: PatternFolders): Effect {
  if (rule.subject === "command") return namingsIn(rule, command).includes("runs") ? rule.effect : "ask";
  if (rule.subject !== "write") return rule.effect;
  const isWritten = [...paths, ...(command?.paths ?? [])].some(
    (path) => path.use === "write" && rule.patterns.some((pattern) => matchesPath(pattern, path, folders)),
  );
  return isWritten ? rule.effect : "ask";
}

/** Returns the first of the rules that together allow the whole request; undefined if a part isn't allowed. */
function allowingRule(
  rules: readonly GuardRule[],
  { command, paths, tool, host }: GuardRequest,
  folders: PatternFolders,
): GuardRule | undefined {
  const of = (
    subject: RuleSubject,
    test: (pattern: string) => boolean,
    isExactly: (pattern: string, rule: GuardRule) => boolean = () => false,
  ): GuardRule | undefined =>
    rules.find(
      (rule) =>
        rule.subject === subject &&
        rule.patterns.some((pattern) => (rule.exact === true ? isExactly(pattern, rule) : test(pattern))),
    );
  const found: (GuardRule | undefined)[] = [];
  if (command) {
    if (!command.isPlain) return undefined;
    const whole = of(
      "command",
      () => false,
      (text, { cwd }) => !command.isWords && text === command.text && (cwd === undefined || cwd === command.cwd),
    );
    if (whole) found.push(whole);
    else if (command.parts === undefined) return undefined;
    else found.push(...command.parts.map((part) => of("command", (pattern) => allowsProgram(pattern, part))));
  }
  const called = tool && of("mcp", (pattern) => allowsTool(pattern, tool));
  if (called) found.push(called);
  // Permission for a command includes ordinary files that it reads, and permission for a tool includes ordinary files in its arguments.
  const isNeeded = ({ isOrdinary, use }: GuardPath): boolean => !isOrdinary || (use === "write" && !called);
  const others = command || called ? paths.filter(isNeeded) : paths;
  found.push(
    ...others.map((path) =>
      of(
        path.use,
        (pattern) => allowsPath(pattern, path, folders),
        (pattern) => pattern === path.real,
      ),
    ),
  );
  if (host && !called) {
    const isAllowed = of(
      "host",
      (pattern) => isHost(pattern, host),
      (origin) => origin === host.origin,
    );
    found.push(isAllowed);
  }
  return found.includes(undefined) ? undefined : found[0];
}

/** Checks only the real path, since an agent can create links. */
function allowsPath(pattern: string, path: GuardPath, folders: PatternFolders): boolean {
  if (path.isSensitive && !isNamedBy(pattern, path)) return false;
  return matchesPath(pattern, { path: path.real, real: path.real }, folders);
}

function isHost(pattern: string, { name, port }: { readonly name: string; readonly port: string }): boolean {
  const [, wanted = "", wantedPort] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const host = name.toLowerCase().replace(/\.$/, "");
  return wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted;
}
