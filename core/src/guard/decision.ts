import { allowsProgram, namingOf } from "./command-pattern.js";
import type { Effect, GuardRule, RuleSubject } from "./guard-rule.js";
import { allowsTool, concernsTool, type GuardTool } from "./tool-pattern.js";
import { type GuardPath, isNamedBy, matchesPath, type PatternFolders } from "./path-pattern.js";

/** A tool call as an agent describes it. */
export interface GuardedCall {
  /** ACP's `ToolKind`. */
  readonly kind: string;
  readonly rawInput: unknown;
  /** Paths, absolute or relative to the session's folder. */
  readonly locations: readonly string[];
  /** The tools of MCP servers that it may be one of. */
  readonly tools?: readonly GuardTool[];
  /** It comes in by a server of ours: what it does with the files that it names is the tool's. */
  readonly isBridged?: boolean;
  /** Its kind says nothing of what it does: it is a question that only looks like a tool call. */
  readonly isQuestion?: boolean;
}

/** What an agent wants to do, found out once. */
export interface GuardRequest {
  /** ACP's `ToolKind`, as the agent says it. */
  readonly kind?: string;
  readonly command?: GuardedCommand;
  /** Files that it names, besides those in a command. */
  readonly paths: readonly GuardPath[];
  /** Files that the tool of an MCP server is told of; whether it writes them is not known. */
  readonly named?: readonly GuardPath[];
  /** The tools of MCP servers that it may be one of; for rules that refuse or ask. */
  readonly tools: readonly GuardTool[];
  /** The one that it is, as far as an agent can be believed: titles of other kinds of calls hold a model's words. */
  readonly tool?: GuardTool;
  /** Where it wants to fetch something. */
  readonly host?: { readonly name: string; readonly port: string; readonly origin?: string };
}

export interface GuardedCommand {
  readonly text: string;
  /** Absolute, with links followed. */
  readonly cwd?: string;
  /** An agent gave a program and its words without a shell; the text is what a shell would be given. */
  readonly isWords?: boolean;
  /** The programs that it starts and nothing else; undefined where that cannot be told. */
  readonly parts:
    | readonly { readonly words: readonly string[]; readonly grant: readonly string[] | undefined }[]
    | undefined;
  /** The words of all programs that stand in it anywhere. */
  readonly programs: readonly (readonly string[])[];
  /** Files that its words may name, as far as is known for reading, and those that its output is led to. */
  readonly paths: readonly GuardPath[];
  /** It runs in the session's folders, without variables or members of its own that change how. */
  readonly isPlain: boolean;
}

/** What the rules say. */
export interface Decision {
  readonly effect: Effect;
  /** The rule that decides; undefined where it is asked because a command cannot be read. */
  readonly rule?: GuardRule;
}

/**
 * What becomes of a request: a rule that denies beats one that asks, which beats one that allows, whoever wrote it and however
 * exact it is. Allowed is only what is allowed in each of its parts. Undefined where no rule says anything.
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
  const { subject, patterns } = rule;
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
      return host !== undefined && patterns.some((pattern) => isHost(pattern, host));
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
 * The user judges where a rule may not apply: a command or a tool that names a file may do no more than read it, and a program that
 * Symposium doesn't know may not run a program that its words name.
 */
function effectOn(rule: GuardRule, { command, paths }: GuardRequest, folders: PatternFolders): Effect {
  if (rule.subject === "command") return namingsIn(rule, command).includes("runs") ? rule.effect : "ask";
  if (rule.subject !== "write") return rule.effect;
  const isWritten = [...paths, ...(command?.paths ?? [])].some(
    (path) => path.use === "write" && rule.patterns.some((pattern) => matchesPath(pattern, path, folders)),
  );
  return isWritten ? rule.effect : "ask";
}

/** The first of the rules that together allow all of it. */
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
  // Files that a command reads are what it is allowed for, and so is what a tool of a server is given.
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

/** By where it leads alone: an agent can make links. */
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
