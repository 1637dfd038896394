import { resolve } from "node:path";
import { namedInCommand } from "../../safety/named-programs.js";
import { checkCommand } from "../../safety/node/checked-command.js";
import { checkPath, needsLeave } from "../../safety/node/checked-path.js";
import { addressInInput, pathsInInput } from "../../safety/node/named-places.js";
import { type RequestedCommand, requestedCommand } from "../../safety/requested-command.js";
import { shellWord } from "../../settings/shell-words.js";
import type { GuardedCall, GuardedCommand, GuardRequest } from "../decision.js";
import type { GuardPath } from "../path-pattern.js";

const reading: ReadonlySet<string> = new Set(["read", "search"]);

/** Finds out what a tool call would touch; paths are followed to where they lead. `roots` are the session's folders, absolute. */
export async function guardRequest(call: GuardedCall, roots: readonly string[]): Promise<GuardRequest> {
  const command = requestedCommand(call.rawInput, shellWord);
  const use = reading.has(call.kind) ? "read" : "write";
  const names = new Set([...call.locations, ...pathsInInput(call.rawInput)]);
  const address = addressInInput(call.rawInput);
  const paths = await Promise.all([...names].map((path) => guardPath(path, command ? "read" : use, roots)));
  return {
    paths,
    ...(command && { command: await guardedCommand(command, roots) }),
    ...(address && { host: { name: address.hostname, port: address.port || portOf(address.protocol) } }),
  };
}

/** A file that an agent names, as rules see it. */
async function guardPath(
  path: string,
  use: GuardPath["use"],
  roots: readonly string[],
  base = roots[0] ?? "/",
): Promise<GuardPath> {
  const checked = await checkPath(path, base, roots);
  return { use, path: checked.path, real: checked.real, isOrdinary: !needsLeave(checked, use) };
}

async function guardedCommand(command: RequestedCommand, roots: readonly string[]): Promise<GuardedCommand> {
  const { text, words, isSpecial, variables } = command;
  const checked = await checkCommand(command, roots);
  const named = namedInCommand(text);
  const programs = words === undefined ? named.programs : [words, ...named.programs];
  const files = new Set(programs.flatMap((all) => all.slice(1).flatMap(namesOfFiles)));
  const folder = resolve(roots[0] ?? "/", command.cwd ?? ".");
  return {
    text,
    parts: checked.parts,
    programs,
    paths: await Promise.all([
      ...[...files].map((path) => guardPath(path, "read", roots, folder)),
      ...named.redirections.map(({ path, use }) => guardPath(path, use, roots, folder)),
    ]),
    isPlain: !isSpecial && checked.cwd.isInside && Object.keys(variables).length === 0,
  };
}

/** `x` of `x`, `--file=x` and `if=x`. Whatever it is: it may be the name of a file. */
function namesOfFiles(word: string): readonly string[] {
  const value = /^[\w-]+=(.+)$/.exec(word)?.[1];
  return [word, value ?? ""].filter((one) => one !== "" && !one.startsWith("-"));
}

function portOf(protocol: string): string {
  return protocol === "http:" ? "80" : "443";
}
