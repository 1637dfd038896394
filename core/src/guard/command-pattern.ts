import { laterWords } from "../base/safety/programs-run-by-git.js";
import { isWrapper, namedInCommand, namedPrograms, programName, spokenWords } from "../base/safety/named-programs.js";
import { matchesStars } from "../base/star-pattern.js";

/** Why `pattern` is none; undefined where it is one. */
export function faultOfCommandPattern(pattern: string): string | undefined {
  if (!/[|&;<>$`"'\\()\n\r]/.test(pattern)) return undefined;
  return `The command ${JSON.stringify(pattern)} has a character that means something to a shell: a pattern is a program and its first words, such as "git push".`;
}

/**
 * Whether a command line starts a program that `pattern` names, wherever it stands in it: behind `cd x &&`, in
 * `bash -c "…"`, under `/usr/bin/`, after `env` or `sudo`, with options between its words. Options of the pattern may stand anywhere
 * after its program. For rules that refuse or ask, which
 * had better match too much. Tricks that hide a name altogether are not found: what cannot be read is asked about.
 */
export function concerns(pattern: string, text: string): boolean {
  const { programs, piped } = namedInCommand(text);
  return [...programs, ...piped].some((words) => namingOf(pattern, words) !== undefined);
}

/** `runs`: the words start a program that `pattern` names. `names`: an unknown program gets the name, and may start it. */
export function namingOf(pattern: string, words: readonly string[]): "runs" | "names" | undefined {
  const wanted = wordsOf(pattern).words;
  if (namesProgram(wanted, words)) return "runs";
  return isSpoken(wanted, words) ? "names" : undefined;
}

/**
 * Whether `pattern` allows exactly this program: its words are those of the pattern, or go on as `grant` says that they may
 * (the words of the program that any harmless options may follow). A pattern that ends with ` *` allows whatever follows.
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
  /** Any further words may follow. */
  readonly isOpen: boolean;
}

function wordsOf(pattern: string): Pattern {
  const words = pattern.trim().split(/\s+/);
  const isOpen = words.length > 1 && words.at(-1) === "*";
  return { words: isOpen ? words.slice(0, -1) : words, isOpen };
}

/** A `*` stands for a part of one name: it matches no `/`, no option's `-` and no way out of a folder. */
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

/** Whether a word of a program is what `wanted` begins with. */
function isNamedBy([wanted = ""]: readonly string[], program: string): boolean {
  const name = wanted.toLowerCase();
  return matchesStars(name, name.includes("/") ? program.toLowerCase() : programName(program));
}

/** With more places where the words of a program may begin, the user is asked unseen: each takes a look at the rest. */
const maxStarts = 200;

/** Whether the words that a program may run have the pattern's in order, whatever stands around them: quotes, brackets, `-S`. */
function isSpoken(wanted: readonly string[], words: readonly string[]): boolean {
  const spoken = spokenWords(words);
  // A slash may be part of a path, or what separates the parts of a script: `s/x/git push/e`.
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

/** Whether the words follow in order, with few others between: `Command("git", { args: ["push"] })`. */
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
  // `watch "git push"`, `ssh host "git push"`: a command line in one word.
  // `echo push | xargs git`: which words follow is not known.
  if (getsWords(words) && isNamed(words.at(-1) ?? "")) return true;
  return words.some(
    (word, index) =>
      index > 0 && (isHere(index) || (/\s/.test(word) && namedPrograms(word).some((one) => namesProgram(wanted, one)))),
  );
}

/** Whether the last word is the program of `xargs`, with nothing before it but options. */
function getsWords(words: readonly string[]): boolean {
  const start = words.findIndex((word) => ["xargs", "parallel"].includes(programName(word)));
  const between = words.slice(start + 1, -1);
  const isOptions = between.every((word, at) => isOption(word) || /^-[InPLdsaEJj]$/.test(between[at - 1] ?? ""));
  return start !== -1 && start < words.length - 1 && isOptions;
}

/** The words of a pattern after the program: its options anywhere, the others in order, with options and their values between. */
function hasWords(wanted: readonly string[], words: readonly string[], start: number): boolean {
  const rest = words.slice(start);
  if (!wanted.every((word) => !isOption(word) || hasOption(word, rest))) return false;
  let places = new Set([0]);
  for (const pattern of wanted.filter((word) => !isOption(word))) {
    const next = new Set<number>();
    // Places that are added on the way are visited, too.
    for (const place of places) {
      const word = rest[place];
      if (word === undefined) continue;
      // They may be those of the pattern.
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

/** `--force` also in `--force=x`, and the letters of `-rf` also in `-r -f` and in `-vfr`. */
function hasOption(wanted: string, words: readonly string[]): boolean {
  if (words.includes(laterWords)) return true;
  if (words.some((word) => matchesStars(wanted, word) || word.startsWith(`${wanted}=`))) return true;
  if (!/^-[A-Za-z]+$/.test(wanted)) return false;
  const letters = words.filter((word) => /^-[A-Za-z]+$/.test(word)).join("");
  return Array.from(wanted.slice(1)).every((letter) => letters.includes(letter));
}
