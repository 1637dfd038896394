import { grantOf } from "../command-grant.js";
import { type CheckedPath, checkPath, needsLeave } from "./checked-path.js";

interface NamedCommand {
  readonly text: string;
  /** Program and arguments; present if the agent passes them without a shell. */
  readonly words?: readonly string[];
  /** Working folder, absolute or relative to the first root. Default: the first root. */
  readonly cwd?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Set if anything else changes how the command runs. A remembered answer then covers only the identical command. */
  readonly isSpecial?: boolean;
}

interface CommandPart {
  readonly words: readonly string[];
  /** Leading words to which a remembered answer may be widened. Undefined if the answer must not be widened. */
  readonly grant: readonly string[] | undefined;
}

interface CheckedCommand {
  readonly text: string;
  readonly cwd: CheckedPath;
  readonly variables: Readonly<Record<string, string>>;
  /** All programs that the command starts; undefined if unknown. */
  readonly parts: readonly CommandPart[] | undefined;
}

/** Matches words without special meaning to a shell, makefile or template, even unquoted. Excludes `@`, which starts argument files. */
const tameWord = /^[\p{L}\p{N}_+=:,./^ %-]*$/u;

/** Parses `command` like a shell, and determines for each program what a remembered answer may cover. */
export async function checkCommand(command: NamedCommand, roots: readonly string[]): Promise<CheckedCommand> {
  const { text, words, variables = {}, isSpecial = false } = command;
  const [folder = "/"] = roots;
  const cwd = await checkPath(command.cwd ?? folder, folder, roots);
  const lists = words === undefined ? await read(text) : [words];
  const isPlain = !isSpecial && cwd.isInside && Object.keys(variables).length === 0;
  const parts = lists && (await Promise.all(lists.map((list) => toPart(list, isPlain ? cwd : undefined, roots))));
  return { text, cwd, variables, parts };
}

/** Loads the parser with the first command. */
async function read(text: string): Promise<readonly (readonly string[])[] | undefined> {
  const { readShell } = await import("../shell-reading.js");
  return readShell(text, process.platform);
}

async function toPart(
  words: readonly string[],
  cwd: CheckedPath | undefined,
  roots: readonly string[],
): Promise<CommandPart> {
  const grant = cwd && grantOf(words);
  if (!grant) return { words, grant: undefined };
  const isTame = await Promise.all(words.slice(grant.length).map((word) => isTameWord(word, cwd, roots)));
  return { words, grant: isTame.every(Boolean) ? grant : undefined };
}

/** Whether every part of the word that may be a path refers to an ordinary workspace file. */
async function isTameWord(word: string, cwd: CheckedPath, roots: readonly string[]): Promise<boolean> {
  if (!tameWord.test(word)) return false;
  const pieces = [word.replace(/^-[A-Za-z]/, ""), ...word.split(/[=:, ]/)].filter((piece) => piece !== "");
  const isOrdinary = async (piece: string): Promise<boolean> =>
    !needsLeave(await checkPath(piece, cwd.real, roots), "write");
  // A path that can't be resolved isn't an ordinary file.
  const checked = await Promise.all(pieces.map((piece) => isOrdinary(piece).catch(() => false)));
  return checked.every(Boolean);
}
