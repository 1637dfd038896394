import { shellWord } from "./shell-word.js";
import type { Command } from "./command.js";
import { fault, type Fault } from "./problem.js";

interface ShellCommand {
  readonly kind: "command";
  readonly command: Command;
  /** Whether the text is a single unquoted word, which may be a name. */
  readonly isBareWord: boolean;
  readonly warning?: string;
}

interface Word {
  readonly text: string;
  readonly start: number;
  /** Number of characters of `text` before its first quote or backslash; the whole length if there is none. */
  readonly plainLength: number;
  readonly isPlain: boolean;
}

interface Words {
  readonly words: readonly Word[];
  /** Index of the first unquoted backslash before a letter or digit; -1 if none. Shells drop such a backslash. */
  readonly lostBackslash: number;
}

const assignment = /^[A-Za-z_][A-Za-z0-9_]*=/;
const operator = /^(?:[|&;<>()]+|\d?>{1,2}(?:&\d)?)$/;

/**
 * Splits a command line as a POSIX shell does. Single quotes quote everything. Within double quotes, a backslash escapes only a double
 * quote, a backslash, `$`, a backtick or a line break. Outside quotes, it escapes the next character, so Windows paths must be quoted.
 * Leading `NAME=value` words become environment variables. Nothing is expanded. Shell operators, `~` or `$` at the start of the program,
 * unterminated quotes and a missing program are faults.
 */
export function parseShellWords(text: string): ShellCommand | Fault {
  const split = splitWords(text);
  if ("kind" in split) return split;
  const variables: [name: string, value: string][] = [];
  for (const word of split.words) {
    const name = assignment.exec(word.text.slice(0, word.plainLength))?.[0];
    if (name === undefined) break;
    variables.push([name.slice(0, -1), word.text.slice(name.length)]);
  }
  const [program, ...args] = split.words.slice(variables.length);
  if (program === undefined || program.text === "") {
    const shown = variables[0] ? `${variables[0][0]}=…` : excerpt(text, 0);
    return fault(
      `The command "${shown}" names no program (character ${(program?.start ?? text.length) + 1}).`,
      'Write the program and its arguments, such as "npx -y some-agent".',
    );
  }
  const shellOnly = needsShell(program, args);
  if (shellOnly) return shellOnly;
  return {
    kind: "command",
    command: { command: program.text, args: args.map((word) => word.text), env: Object.fromEntries(variables) },
    isBareWord: split.words.length === 1 && program.isPlain,
    ...(split.lostBackslash === -1 ? {} : { warning: lostBackslashWarning(text, split.lostBackslash) }),
  };
}

/**
 * Formats a command as the text that {@link parseShellWords} parses. Returns undefined if words can't express the command: a working
 * folder, an empty program name, or a variable name invalid in shells.
 */
export function formatShellWords(command: Command): string | undefined {
  if (command.cwd !== undefined || command.command === "") return undefined;
  const words: string[] = [];
  for (const [name, value] of Object.entries(command.env)) {
    if (!assignment.test(`${name}=`)) return undefined;
    words.push(`${name}=${value === "" ? "" : shellWord(value)}`);
  }
  const isAmbiguous = assignment.test(command.command);
  words.push(isAmbiguous ? `'${command.command.replaceAll("'", `'\\''`)}'` : shellWord(command.command));
  return [...words, ...command.args.map(shellWord)].join(" ");
}

function splitWords(text: string): Words | Fault {
  const words: Word[] = [];
  let lostBackslash = -1;
  let index = 0;
  while ((index = skipSpace(text, index)) < text.length) {
    const start = index;
    let word = "";
    let plainLength = -1;
    while (index < text.length && !isSpace(text.charAt(index))) {
      const character = text.charAt(index);
      if (character !== "'" && character !== '"' && character !== "\\") {
        word += character;
        index++;
        continue;
      }
      if (plainLength === -1) plainLength = word.length;
      if (character === "\\") {
        const next = text.charAt(index + 1);
        if (next === "") return unterminated("backslash", text, start, index);
        if (lostBackslash === -1 && /[A-Za-z0-9]/.test(next)) lostBackslash = index;
        word += next === "\n" ? "" : next;
        index += 2;
        continue;
      }
      const quote = character === "'" ? singleQuoted(text, index) : doubleQuoted(text, index);
      if (!quote) return unterminated(character === "'" ? "single quote" : "double quote", text, start, index);
      word += quote.text;
      index = quote.end;
    }
    // A line continuation alone isn't a word.
    if (word === "" && /^(?:\\\n)*$/.test(text.slice(start, index))) continue;
    const isPlain = plainLength === -1;
    words.push({ text: word, start, plainLength: isPlain ? word.length : plainLength, isPlain });
  }
  return { words, lostBackslash };
}

interface Quote {
  readonly text: string;
  readonly end: number;
}

function singleQuoted(text: string, open: number): Quote | undefined {
  const close = text.indexOf("'", open + 1);
  return close === -1 ? undefined : { text: text.slice(open + 1, close), end: close + 1 };
}

function doubleQuoted(text: string, open: number): Quote | undefined {
  let word = "";
  for (let index = open + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') return { text: word, end: index + 1 };
    const next = text.charAt(index + 1);
    if (character === "\\" && next !== "" && '"\\$`\n'.includes(next)) {
      word += next === "\n" ? "" : next;
      index++;
    } else {
      word += character;
    }
  }
  return undefined;
}

function needsShell(program: Word, args: readonly Word[]): Fault | undefined {
  for (const word of [program, ...args]) {
    if (!word.isPlain || !operator.test(word.text)) continue;
    return fault(
      `"${word.text}" (character ${word.start + 1} of the command) needs a shell, but the command runs without one.`,
      `Wrap the command in sh -c '...', or quote "${word.text}" to pass it to the program.`,
    );
  }
  if (program.plainLength === 0 || !/^(?:~|\$)/.test(program.text)) return undefined;
  return fault(
    `The program "${program.text}" begins with "${program.text.charAt(0)}", which is not expanded.`,
    "Use the full path.",
  );
}

function unterminated(what: string, text: string, wordStart: number, index: number): Fault {
  return fault(
    `Unfinished ${what} at character ${index + 1} of the command: ${excerpt(text, wordStart)}`,
    what === "backslash" ? "Remove it, or put it in single quotes." : `Add the closing ${what}.`,
  );
}

function lostBackslashWarning(text: string, index: number): string {
  return (
    `The backslash at character ${index + 1} of the command is dropped (${excerpt(text, wordStartBefore(text, index))}). Put paths ` +
    "with backslashes in single quotes."
  );
}

function wordStartBefore(text: string, index: number): number {
  let start = index;
  while (start > 0 && !isSpace(text.charAt(start - 1))) start--;
  return start;
}

/** Returns an excerpt of the text from `start`. For an assignment, returns only the variable's name, since the value may be a secret. */
function excerpt(text: string, start: number): string {
  const rest = text.slice(start);
  const name = assignment.exec(rest)?.[0];
  if (name !== undefined) return `${name}…`;
  return rest.length > 60 ? `${rest.slice(0, 59)}…` : rest;
}

function skipSpace(text: string, index: number): number {
  let next = index;
  while (next < text.length && isSpace(text.charAt(next))) next++;
  return next;
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}
