import { pytestWords } from "./pytest-words.js";
import { withoutColours } from "./shortened-output.js";
import { knownWords } from "./runner-words.js";

/** A shortened test run. */
interface CondensedRun {
  /** Runner and result: `vitest: 3 failed, 96 passed`. */
  readonly verdict: string;
  /** Output lines in order, without those about passed tests. */
  readonly lines: readonly string[];
}

/** Length reserved for the handle after the verdict, so that the report is shorter even with it. */
export const maxMarkLength = 60;

/**
 * Maximum length of lines that patterns are matched against, since a longer line could take seconds. Longer lines aren't a runner's own and
 * are preserved.
 */
const maxKnownLength = 1_000;

/**
 * Shortens human-readable test output and preserves all unknown lines. Returns undefined if uncertain: no runner or several runners match,
 * the exit code contradicts the result, or the text isn't shorter.
 */
export function condensedRun(text: string, exitCode: number | null): CondensedRun | undefined {
  const long = new Map<string, string>();
  const marked = (line: string): string => {
    const mark = `\0${long.size}\0`;
    long.set(mark, line.trimEnd());
    return mark;
  };
  const all = withoutColours(text)
    .split(/\r?\n/)
    .map((line) => (line.length > maxKnownLength ? marked(line) : line.trimEnd()));
  const found = [...knownWords, pytestWords].flatMap((words) => {
    const verdict = words.verdict(all);
    return verdict ? [{ words, verdict }] : [];
  });
  const [one] = found;
  if (one === undefined || found.length > 1) return undefined;
  const { words, verdict } = one;
  if (verdict.text === "" || exitCode === null || verdict.isFailed !== (exitCode !== 0)) return undefined;
  const run = {
    verdict: `${words.name}: ${verdict.text}`,
    lines: words
      .told(all)
      .map((line) => long.get(line) ?? line)
      .filter((line) => line.trim() !== ""),
  };
  const length = run.lines.reduce((sum, line) => sum + line.length + 1, run.verdict.length + maxMarkLength);
  return length < text.trim().length ? run : undefined;
}
