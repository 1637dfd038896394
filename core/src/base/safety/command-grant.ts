import { type RememberedCommand, rememberedCommands } from "./remembered-commands.js";

/** Common options of the test runners and checkers that project scripts run; none of these options starts programs or writes files. */
const scriptFlags: ReadonlySet<string> = new Set(
  (
    "-q -v --quiet --verbose --silent --watch --run --coverage --no-coverage --bail --ci --runInBand --fix --check --exact " +
    "--nocapture --ignored --include-ignored --show-output --list --color --no-color --update"
  ).split(" "),
);
const scriptValued: ReadonlySet<string> = new Set(
  "-t -g -k --grep --fgrep --filter --testNamePattern --test-name-pattern --test-threads --skip --timeout".split(" "),
);

/**
 * Returns the leading words to which a remembered answer for this command may be widened. Undefined if only the identical command may be
 * remembered.
 */
export function grantOf(words: readonly string[]): readonly string[] | undefined {
  const found = rememberedFor(words);
  if (!found) return undefined;
  const { length } = found.words;
  return hasOnlyKnownOptions(found, words.slice(length)) ? words.slice(0, length) : undefined;
}

/** Describes for the user what a rule for `words` additionally covers. Undefined if it covers nothing else. */
export function grantText(words: readonly string[]): string | undefined {
  return rememberedFor(words)?.says;
}

function rememberedFor(words: readonly string[]): RememberedCommand | undefined {
  return rememberedCommands.find(
    (one) => one.words.length <= words.length && one.words.every((word, index) => isWord(word, words[index] ?? "")),
  );
}

/** Whether a word matches a pattern. The pattern `*` matches a script name. */
function isWord(pattern: string, word: string): boolean {
  return pattern === "*" ? /^[\w:.-]+$/.test(word) && !word.startsWith("-") : pattern === word;
}

function hasOnlyKnownOptions(known: Omit<RememberedCommand, "words" | "says">, words: readonly string[]): boolean {
  const { flags, valued, operands } = known;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") return areOperands(operands, rest);
    if (!word.startsWith("-") || word === "-") {
      if (operands === "none") return false;
      continue;
    }
    const option = knownOption(word, flags, valued);
    if (option === undefined) return false;
    if (option !== "needs value") continue;
    const value = rest.shift();
    if (value === undefined || value.startsWith("-")) return false;
  }
  return true;
}

function areOperands(operands: RememberedCommand["operands"], words: readonly string[]): boolean {
  if (operands === "none" || operands === "no dashes") return words.length === 0;
  return (
    operands === "any" || hasOnlyKnownOptions({ flags: scriptFlags, valued: scriptValued, operands: "any" }, words)
  );
}

function knownOption(
  word: string,
  flags: ReadonlySet<string>,
  valued: ReadonlySet<string>,
): "complete" | "needs value" | undefined {
  if (flags.has(word) || (flags.has("-#") && /^-\d+$/.test(word))) return "complete";
  if (valued.has(word)) return "needs value";
  const [name = "", value] = word.split("=", 2);
  if (value !== undefined) return valued.has(name) ? "complete" : undefined;
  if (word.startsWith("--")) return undefined;
  // Matches `-n5`, `-la`, and `-lan 5`, whose last letter takes the value.
  if (valued.has(word.slice(0, 2)) && /^-[A-Za-z]\d+$/.test(word)) return "complete";
  const letters = Array.from(word.slice(1), (letter) => `-${letter}`);
  if (letters.every((letter) => flags.has(letter))) return "complete";
  const last = letters.pop() ?? "";
  return letters.every((letter) => flags.has(letter)) && valued.has(last) ? "needs value" : undefined;
}
