import { namedPrograms } from "../safety/named-programs.js";

/** Programs that run the words after them; where the program's own words begin is not worth knowing. */
const wrappers: ReadonlySet<string> = new Set(
  (
    "env nice nohup timeout xargs sudo doas command builtin exec eval time setsid stdbuf ionice chrt watch parallel find fd " +
    "busybox chroot unshare nsenter flock script ssh docker podman npx pnpx bunx start cmd"
  ).split(" "),
);

/** Why `pattern` is none; undefined where it is one. */
export function faultOfCommandPattern(pattern: string): string | undefined {
  if (!/[|&;<>$`"'\\()\n\r]/.test(pattern)) return undefined;
  return `The command ${JSON.stringify(pattern)} has a character that means something to a shell: a pattern is a program and its first words, such as "git push".`;
}

/**
 * Whether a command line starts a program that `pattern` names, wherever it stands in it: behind `cd x &&`, in
 * `bash -c "…"`, under `/usr/bin/`, after `env` or `sudo`, with options between its words. For rules that refuse or ask, which
 * had better match too much. Tricks that hide a name altogether are not found: what cannot be read is asked about.
 */
export function concerns(pattern: string, text: string): boolean {
  const wanted = wordsOf(pattern).words;
  return namedPrograms(text).some((words) => namesProgram(wanted, words));
}

/** The same for a program whose words are known. */
export function concernsWords(pattern: string, words: readonly string[]): boolean {
  return namesProgram(wordsOf(pattern).words, words);
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

function beginsWith(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((pattern, index) => isWord(pattern, words[index]));
}

function namesProgram(wanted: readonly string[], words: readonly string[]): boolean {
  const places = wrappers.has(programName(words[0] ?? "")) ? words.map((_word, index) => index) : [0];
  return places.some((index) => {
    const [program = "", ...rest] = words.slice(index);
    const [name = "", ...more] = wanted;
    return isWord(name, name.includes("/") ? program : programName(program)) && hasInOrder(more, rest);
  });
}

/** Between the words of a pattern there may be options, each with a value. */
function hasInOrder(wanted: readonly string[], words: readonly string[]): boolean {
  const [first, ...others] = wanted;
  if (first === undefined) return true;
  const [word, ...rest] = words;
  if (word === undefined) return false;
  if (isWord(first, word) && hasInOrder(others, rest)) return true;
  return word.startsWith("-") && (hasInOrder(wanted, rest) || hasInOrder(wanted, rest.slice(1)));
}

/** `git` of `/usr/bin/git`, and of `GIT.EXE`. */
function programName(program: string): string {
  return (program.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat)$/i, "");
}

function isWord(pattern: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  if (!pattern.includes("*")) return pattern === word;
  const [head = "", ...tails] = pattern.split("*");
  let from = head.length;
  if (!word.startsWith(head)) return false;
  const last = tails.pop() ?? "";
  for (const part of tails) {
    const found = word.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return word.length - last.length >= from && word.endsWith(last);
}
