import { grantOf } from "../command-grant.js";
import { type CheckedPath, checkPath, needsLeave } from "./checked-path.js";

/** A command that an agent wants to run. */
interface NamedCommand {
  readonly text: string;
  /** Present where the agent passes a program and its arguments without a shell. */
  readonly words?: readonly string[];
  /** Absolute, or relative to the first root, which it is when absent. */
  readonly cwd?: string;
  /** What it sets for the program. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Names anything else that changes how the command runs: it is then remembered exactly. */
  readonly isSpecial?: boolean;
}

/** One program of a command. */
export interface CommandPart {
  readonly words: readonly string[];
  /** The first of these words, which a remembered answer may widen to; undefined where it may not be widened. */
  readonly grant: readonly string[] | undefined;
}

/** What a command would start, found out once. */
export interface CheckedCommand {
  readonly text: string;
  readonly cwd: CheckedPath;
  readonly variables: Readonly<Record<string, string>>;
  /** Every program that it starts; undefined where that cannot be told. */
  readonly parts: readonly CommandPart[] | undefined;
}

/** Nothing in it means anything to a shell, a make file or a template, even after quotes are gone. `@` begins lists of arguments. */
const tameWord = /^[\p{L}\p{N}_+=:,./^ %-]*$/u;

/** Reads `command` as a shell would, and decides for each of its programs what a remembered answer may cover. */
export async function checkCommand(command: NamedCommand, roots: readonly string[]): Promise<CheckedCommand> {
  const { text, words, variables = {}, isSpecial = false } = command;
  const [folder = "/"] = roots;
  const cwd = await checkPath(command.cwd ?? folder, folder, roots);
  const lists = words === undefined ? await read(text) : [words];
  const isPlain = !isSpecial && cwd.isInside && Object.keys(variables).length === 0;
  const parts = lists && (await Promise.all(lists.map((list) => toPart(list, isPlain ? cwd : undefined, roots))));
  return { text, cwd, variables, parts };
}

/** The parser is read when the first command comes. */
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

/** Whatever piece of the word may be a path leads to an ordinary file of the workspace. */
async function isTameWord(word: string, cwd: CheckedPath, roots: readonly string[]): Promise<boolean> {
  if (!tameWord.test(word)) return false;
  const pieces = [word.replace(/^-[A-Za-z]/, ""), ...word.split(/[=:, ]/)].filter((piece) => piece !== "");
  const isOrdinary = async (piece: string): Promise<boolean> =>
    !needsLeave(await checkPath(piece, cwd.real, roots), "write");
  // What cannot be followed is no ordinary file.
  const checked = await Promise.all(pieces.map((piece) => isOrdinary(piece).catch(() => false)));
  return checked.every(Boolean);
}
