import { laterWords } from "../base/safety/programs-run-by-git.js";
import { isWrapper, namedInCommand, namedPrograms, programName, spokenWords } from "../base/safety/named-programs.js";
import { matchesStars } from "../base/star-pattern.js";

/** Returns a description of the error in an invalid command pattern; undefined if the pattern is valid. */
export function faultOfCommandPattern(pattern: string): string | undefined {
  if (!/[|&;<>$`"'\\()\n\r]/.test(pattern)) return undefined;
  return (
    `The command ${JSON.stringify(pattern)} contains a shell character: a pattern is a program and its first words, such as "git ` +
    'push".'
  );
}

/**
 * Whether a command line starts a program that `pattern` names, even after `cd x &&`, in `bash -c "…"`, below `/usr/bin/`, or after `env`
 * or `sudo`. Options may come between the words. Used for deny and ask rules, so it prefers false matches. Doesn't detect hidden names; the
 * guard asks about unreadable commands.
 */
export function concerns(pattern: string, text: string): boolean {
  const { programs, piped } = namedInCommand(text);
  return [...programs, ...piped].some((words) => namingOf(pattern, words) !== undefined);
}

/**
 * Returns `runs` if the words start a program that `pattern` names. Returns `names` if the program's name is passed to an unknown program,
 * which may start it.
 */
export function namingOf(pattern: string, words: readonly string[]): "runs" | "names" | undefined {
  const wanted = wordsOf(pattern).words;
  if (namesProgram(wanted, words)) return "runs";
  return isSpoken(wanted, words) ? "names" : undefined;
}

/**
 * Whether `pattern` allows exactly this program. The words must equal the pattern or `grant`, the prefix after which all options are
 * harmless. A pattern that ends with ` *` allows any further words.
 */
export function allowsProgram(
  pattern: string,
  { words, grant }: { readonly words: readonly string[]; readonly grant: readonly string[] | undefined },
): boolean {
  const wanted = wordsOf(pattern);
  if (wanted.isOpen) return beginsWith(words, wanted.words);
  return [words, grant].some((one) => one?.length === wanted.words.length && beginsWith(one, wanted.words));
}

interface Pattern {
  readonly words: readonly string[];
  /** Whether the pattern allows further words, because it ends with ` *`. */
  readonly isOpen: boolean;
}

function wordsOf(pattern: string): Pattern {
  const words = pattern.trim().split(/\s+/);
  const isOpen = words.length > 1 && words.at(-1) === "*";
  return { words: isOpen ? words.slice(0, -1) : words, isOpen };
}

/** Whether the words start with the pattern's words. `*` matches a part of a name that has no `/`, no leading `-` and no `..`. */
function beginsWith(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((pattern, index) => {
    const word = words[index] ?? "";
    if (pattern === word) return true;
    if (index >= words.length || (pattern.startsWith("*") && isOption(word))) return false;
    const [parts, names] = [pattern.split(/[\\/]/), word.split(/[\\/]/)];
    return parts.length === names.length && parts.every((part, at) => isName(part, names[at] ?? ""));
  });
}

function isName(pattern: string, name: string): boolean {
  return matchesStars(pattern, name) && !/(?:^|=)\.\.$/.test(name);
}

/** Whether `program` matches the first word of the pattern `wanted`. */
function isNamedBy([wanted = ""]: readonly string[], program: string): boolean {
  const name = wanted.toLowerCase();
  return matchesStars(name, name.includes("/") ? program.toLowerCase() : programName(program));
}

/** Limit of possible starts, since each needs a scan of the rest. Texts with more are treated as a match, so that the user is asked. */
const maxStarts = 200;

/** Whether words for an unknown program contain the pattern's words in order, regardless of quotes, brackets and options such as `-S`. */
function isSpoken(wanted: readonly string[], words: readonly string[]): boolean {
  const spoken = spokenWords(words);
  // A slash may be part of a path, or a separator in a script such as `s/x/git push/e`, so try both.
  return [/(?:\\[nrt]|[^\p{L}\p{N}_./\\+@*-])+/u, /(?:\\[nrt]|[^\p{L}\p{N}_.+@*-])+/u].some((separator) =>
    areInOrder(
      wanted,
      spoken.flatMap((word) => word.split(separator)),
    ),
  );
}

function areInOrder(wanted: readonly string[], tokens: readonly string[]): boolean {
  const starts = tokens.flatMap((token, index) => {
    const isHere = isNamedBy(wanted, token) || isNamedBy(wanted, token.replace(/^-[A-Za-z]/, ""));
    return isHere ? [index] : [];
  });
  if (starts.length > maxStarts) return true;
  const more = wanted.slice(1);
  return starts.some((start) => hasWords(more, tokens, start + 1) || standNear(more, tokens, start + 1));
}

/** Whether the wanted words follow in order, with at most two other words before each: `Command("git", { args: ["push"] })`. */
function standNear(wanted: readonly string[], tokens: readonly string[], start: number): boolean {
  let at = start;
  return wanted.every((pattern) => {
    const found = tokens.slice(at, at + 3).findIndex((token) => matchesStars(pattern, token));
    at += found + 1;
    return found !== -1;
  });
}

function namesProgram(wanted: readonly string[], words: readonly string[]): boolean {
  const more = wanted.slice(1);
  const isNamed = (program: string): boolean => isNamedBy(wanted, program);
  const isHere = (index: number): boolean => isNamed(words[index] ?? "") && hasWords(more, words, index + 1);
  if (isHere(0)) return true;
  if (!isWrapper(words)) return false;
  // `watch "git push"` and `ssh host "git push"` contain a command line in one word. In `echo push | xargs git`, the arguments of `git` are
  // unknown.
  if (getsWords(words) && isNamed(words.at(-1) ?? "")) return true;
  return words.some(
    (word, index) =>
      index > 0 && (isHere(index) || (/\s/.test(word) && namedPrograms(word).some((one) => namesProgram(wanted, one)))),
  );
}

/** Whether the last word is the program that `xargs` or `parallel` starts, preceded only by options. */
function getsWords(words: readonly string[]): boolean {
  const start = words.findIndex((word) => ["xargs", "parallel"].includes(programName(word)));
  const between = words.slice(start + 1, -1);
  const isOptions = between.every((word, at) => isOption(word) || /^-[InPLdsaEJj]$/.test(between[at - 1] ?? ""));
  return start !== -1 && start < words.length - 1 && isOptions;
}

/**
 * Whether the words after a program match a pattern's other words. The pattern's options may be anywhere; its other words must be in order,
 * but options and their values may come between them.
 */
function hasWords(wanted: readonly string[], words: readonly string[], start: number): boolean {
  const rest = words.slice(start);
  if (!wanted.every((word) => !isOption(word) || hasOption(word, rest))) return false;
  let places = new Set([0]);
  for (const pattern of wanted.filter((word) => !isOption(word))) {
    const next = new Set<number>();
    // The loop also visits places added during the iteration.
    for (const place of places) {
      const word = rest[place];
      if (word === undefined) continue;
      // Words that aren't known yet may match the pattern.
      if (word === laterWords) return true;
      if (matchesStars(pattern, word)) next.add(place + 1);
      if (isOption(word)) places.add(place + 1).add(place + 2);
    }
    places = next;
  }
  return places.size > 0;
}

function isOption(word: string): boolean {
  return word.startsWith("-");
}

/** Whether the words contain an option. Finds `--force` in `--force=x`, and the letters of `-rf` in `-r -f` and `-vfr`. */
function hasOption(wanted: string, words: readonly string[]): boolean {
  if (words.includes(laterWords)) return true;
  if (words.some((word) => matchesStars(wanted, word) || word.startsWith(`${wanted}=`))) return true;
  if (!/^-[A-Za-z]+$/.test(wanted)) return false;
  const letters = words.filter((word) => /^-[A-Za-z]+$/.test(word)).join("");
  return Array.from(wanted.slice(1)).every((letter) => letters.includes(letter));
}
