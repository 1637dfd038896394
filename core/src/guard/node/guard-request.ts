import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { fileUses } from "../../base/safety/file-uses.js";
import { laterWords } from "../../base/safety/programs-run-by-git.js";
import { isShellThatReads, namedInCommand, shellScript } from "../../base/safety/named-programs.js";
import { checkCommand } from "../../base/safety/node/checked-command.js";
import { type CheckedPath, checkPath, needsLeave } from "../../base/safety/node/checked-path.js";
import { addressInInput, pathsInInput } from "../../base/safety/node/named-places.js";
import { readShell } from "../../base/safety/shell-reading.js";
import { type RequestedCommand, requestedCommand } from "../../base/safety/requested-command.js";
import { type Decision, decide, type GuardedCall, type GuardedCommand, type GuardRequest } from "../decision.js";
import { subjectText } from "../guard-record.js";
import type { GuardRule } from "../guard-rule.js";
import type { GuardPath, PatternFolders } from "../path-pattern.js";
import { type ProposedRule, proposedRules } from "../proposed-rules.js";
import { isHeldRequest } from "../sandbox/sandboxed-request.js";

/** Uses assumed for other kinds of calls, which may read or write the files that they name. */
const anyUse = ["read", "write"] as const;
/** Maximum number of folders considered for a command that runs `cd`. */
const maxFolders = 8;

/**
 * Returns the rules' decision about a tool call, a short summary of the call, and whether a sandbox for the session's folders would contain
 * the call.
 */
export async function judgedCall(
  rules: readonly GuardRule[],
  call: GuardedCall,
  folders: PatternFolders,
): Promise<{ readonly decision: Decision | undefined; readonly subject: string; readonly isHeld: boolean }> {
  const request = await guardRequest(call, folders);
  const known = await withRealRoots(folders);
  return {
    decision: decide(rules, request, known),
    subject: subjectText(request),
    isHeld: isHeldRequest(call.kind, request, known.roots),
  };
}

/** Returns the allow rules to propose to a user who is asked about a call. They allow the call; empty if no rules can. */
export async function rulesToPropose(call: GuardedCall, folders: PatternFolders): Promise<readonly ProposedRule[]> {
  const request = await guardRequest(call, folders);
  const rules = proposedRules(request);
  const placed = rules.map((rule) => ({ ...rule, place: "" }));
  return decide(placed, request, await withRealRoots(folders))?.effect === "allow" ? rules : [];
}

async function withRealRoots(folders: PatternFolders): Promise<PatternFolders> {
  const reals = await Promise.all(folders.roots.map((root) => realpath(root).catch(() => root)));
  return { ...folders, roots: [...new Set([...folders.roots, ...reals])] };
}

/** Determines which files, commands and hosts a tool call would touch, and resolves links in paths. `folders` are absolute. */
export async function guardRequest(call: GuardedCall, folders: PatternFolders): Promise<GuardRequest> {
  const { kind, rawInput, locations, tools = [], isBridged = false, isQuestion = false } = call;
  const command = requestedCommand(rawInput);
  const names = new Set([...locations, ...pathsInInput(rawInput)]);
  const address = addressInInput(rawInput);
  const uses = isBridged || kind === "execute" ? (["read"] as const) : (fileUses(kind) ?? anyUse);
  const of = uses.flatMap((use) =>
    [...names].map((path) => guardPath({ path, use }, folders, { isForCommand: kind === "execute" })),
  );
  const guarded = command ? await guardedCommand(command, folders) : kind === "execute" ? unreadable : undefined;
  const [only, ...more] = tools;
  const found = await Promise.all(of);
  return {
    // Calls through Symposium's own MCP servers have no kind reported by the agent.
    ...(!isBridged && !isQuestion && { kind }),
    paths: isBridged ? [] : found,
    ...(isBridged && { named: found }),
    tools,
    ...(only && more.length === 0 && kind === "other" && locations.length === 0 && { tool: only }),
    ...(guarded && { command: guarded }),
    ...(address && { host: hostOf(address) }),
  };
}

const unreadable: GuardedCommand = { text: "", parts: undefined, programs: [], paths: [], isPlain: false };

/**
 * Resolves a file named by an agent for matching against rules. `base` is the folder for relative paths. A command is assumed to write the
 * files listed for it.
 */
async function guardPath(
  { path, use }: Pick<GuardPath, "path" | "use">,
  { roots, home }: PatternFolders,
  { base = roots[0] ?? "/", isForCommand = false }: { readonly base?: string; readonly isForCommand?: boolean } = {},
): Promise<GuardPath> {
  const named = path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home);
  try {
    const checked = await checkPath(named, base, roots);
    const isOrdinary = !needsLeave(checked, isForCommand ? "write" : use);
    return { use, path: checked.path, real: checked.real, isOrdinary, isSensitive: isSensitive(checked, use) };
  } catch {
    // If the path can't be resolved, rules still match its name, but no default applies to it.
    const whole = resolve(base, named);
    return { use, path: whole, real: whole, isOrdinary: false, isSensitive: true };
  }
}

function isSensitive({ sensitive, isGitInternal }: CheckedPath, use: GuardPath["use"]): boolean {
  if (use === "write") return sensitive !== undefined || isGitInternal;
  return sensitive?.risk === "secret";
}

async function guardedCommand(command: RequestedCommand, folders: PatternFolders): Promise<GuardedCommand> {
  const { text, words, isSpecial, variables } = command;
  const checked = await checkCommand(command, folders.roots);
  const named = namedInCommand(text, variables);
  const programs = [...(words === undefined ? [] : [words]), ...named.programs, ...named.piped];
  const files = new Set(programs.flatMap((all) => all.slice(1).flatMap(namesOfFiles)));
  const places = [...[...files].map((path) => ({ path, use: "read" as const })), ...named.redirections];
  const bases = foldersOf(programs, resolve(folders.roots[0] ?? "/", command.cwd ?? "."));
  return {
    text,
    cwd: checked.cwd.real,
    isWords: words !== undefined,
    parts:
      named.unread === undefined &&
      named.scripts.every(isReadableScript) &&
      checked.parts?.every(({ words: all }) => isReadable(all)) === true
        ? checked.parts
        : undefined,
    programs,
    paths: await Promise.all(bases.flatMap((base) => places.map((place) => guardPath(place, folders, { base })))),
    isPlain: !isSpecial && checked.cwd.isInside && Object.keys(variables).length === 0,
  };
}

/** Returns the folders that a command's arguments may be relative to: its working folder and the targets of its `cd` commands. */
function foldersOf(programs: readonly (readonly string[])[], folder: string): readonly string[] {
  const all = [folder];
  for (const [program = "", ...words] of programs) {
    const to = ["cd", "pushd"].includes(program) ? words.find((word) => !word.startsWith("-")) : undefined;
    if (to !== undefined && all.length < maxFolders) all.push(resolve(all.at(-1) ?? folder, to));
  }
  return all;
}

/**
 * Returns whether the programs that a command runs are known. False if a shell gets an unreadable script or reads the script from a file or
 * standard input.
 */
function isReadable(words: readonly string[]): boolean {
  const script = shellScript(words);
  return script === undefined ? !isShellThatReads(words) : isReadableScript(script);
}

function isReadableScript(script: string): boolean {
  return readShell(script, process.platform)?.every(isReadable) === true;
}

/** Returns every part of an argument that may be a file name: `x` in `x`, `--file=x`, `if=x`, `@x`, `-fx` and `HEAD:x`. */
function namesOfFiles(word: string): readonly string[] {
  const pieces = word.split(/[=@:,]/).slice(1);
  const whole = word.startsWith("-") ? (/^-\w(.+)$/.exec(word)?.[1] ?? "") : word;
  return [whole, ...pieces].filter((one) => one !== "" && one !== laterWords && !one.startsWith("-"));
}

function hostOf({ hostname, port, protocol, origin }: URL): NonNullable<GuardRequest["host"]> {
  return { name: hostname, port: port || (protocol === "http:" ? "80" : "443"), origin };
}
