import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
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
import { isHeldRequest } from "../sandbox/sandboxed-request.js";

const uses: Readonly<Record<string, readonly GuardPath["use"][]>> = {
  read: ["read"],
  search: ["read"],
  edit: ["write"],
  delete: ["write"],
  execute: ["read"],
};
/** What other calls do with the files that they name is not known. */
const anyUse = ["read", "write"] as const;
/** A command may change its folder that often. */
const maxFolders = 8;

/**
 * Returns what the rules decide about a tool call, what the call is about in a few words, and whether a sandbox that is open for the
 * session's folders would contain it.
 */
export async function judgedCall(
  rules: readonly GuardRule[],
  call: GuardedCall,
  folders: PatternFolders,
): Promise<{ readonly decision: Decision | undefined; readonly subject: string; readonly isHeld: boolean }> {
  const request = await guardRequest(call, folders);
  const reals = await Promise.all(folders.roots.map((root) => realpath(root).catch(() => root)));
  const known = { ...folders, roots: [...new Set([...folders.roots, ...reals])] };
  return {
    decision: decide(rules, request, known),
    subject: subjectText(request),
    isHeld: isHeldRequest(call.kind, request, known.roots),
  };
}

/** Finds out what a tool call would touch; paths are followed to where they lead. The folders are absolute. */
export async function guardRequest(call: GuardedCall, folders: PatternFolders): Promise<GuardRequest> {
  const { kind, rawInput, locations, tools = [], isBridged = false, isQuestion = false } = call;
  const command = requestedCommand(rawInput);
  const names = new Set([...locations, ...pathsInInput(rawInput)]);
  const address = addressInInput(rawInput);
  const of = (isBridged ? (["read"] as const) : (uses[kind] ?? anyUse)).flatMap((use) =>
    [...names].map((path) => guardPath({ path, use }, folders, { isForCommand: kind === "execute" })),
  );
  const guarded = command ? await guardedCommand(command, folders) : kind === "execute" ? unreadable : undefined;
  const [only, ...more] = tools;
  const found = await Promise.all(of);
  return {
    // What comes in by a server of ours is of no kind that an agent has named.
    ...(!isBridged && !isQuestion && { kind }),
    paths: isBridged ? [] : found,
    ...(isBridged && { named: found }),
    tools,
    ...(only && more.length === 0 && kind === "other" && locations.length === 0 && { tool: only }),
    ...(guarded && { command: guarded }),
    ...(address && { host: hostOf(address) }),
  };
}

/** A command that the agent does not show. */
const unreadable: GuardedCommand = { text: "", parts: undefined, programs: [], paths: [], isPlain: false };

/** A file that an agent names, as rules see it. `base` is where it begins. A command may write what it is said to be about. */
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
    // Where it leads cannot be found out: rules still match its name, and nothing ordinary is there.
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

/** Where the words of a command may begin: its folder, and those that it changes to. */
function foldersOf(programs: readonly (readonly string[])[], folder: string): readonly string[] {
  const all = [folder];
  for (const [program = "", ...words] of programs) {
    const to = ["cd", "pushd"].includes(program) ? words.find((word) => !word.startsWith("-")) : undefined;
    if (to !== undefined && all.length < maxFolders) all.push(resolve(all.at(-1) ?? folder, to));
  }
  return all;
}

/** Whether it can be told what a program runs: no shell gets a script that cannot be read, or one from elsewhere. */
function isReadable(words: readonly string[]): boolean {
  const script = shellScript(words);
  return script === undefined ? !isShellThatReads(words) : isReadableScript(script);
}

function isReadableScript(script: string): boolean {
  return readShell(script, process.platform)?.every(isReadable) === true;
}

/** `x` of `x`, `--file=x`, `if=x`, `@x`, `-fx` and `HEAD:x`. Whatever it is: it may be the name of a file. */
function namesOfFiles(word: string): readonly string[] {
  const pieces = word.split(/[=@:,]/).slice(1);
  const whole = word.startsWith("-") ? (/^-\w(.+)$/.exec(word)?.[1] ?? "") : word;
  return [whole, ...pieces].filter((one) => one !== "" && one !== laterWords && !one.startsWith("-"));
}

function hostOf({ hostname, port, protocol, origin }: URL): NonNullable<GuardRequest["host"]> {
  return { name: hostname, port: port || portOf(protocol), origin };
}

function portOf(protocol: string): string {
  return protocol === "http:" ? "80" : "443";
}
