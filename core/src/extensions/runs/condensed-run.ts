import { pytestWords } from "./pytest-words.js";
import { withoutColours } from "./shortened-output.js";
import { knownWords } from "./runner-words.js";

/** A test run's output, shortened for a model. */
interface CondensedRun {
  /** Runner and result, for example `vitest: 3 failed, 96 passed`. */
  readonly verdict: string;
  /** Output lines in order, without lines about passed tests. */
  readonly lines: readonly string[];
}

/**
 * Length reserved for the run's handle, which is added after the verdict. The shortened output must be shorter than the original even with
 * the handle.
 */
export const maxMarkLength = 60;

/**
 * Maximum length of lines that are matched against patterns, since matching a longer line could take seconds. Longer lines don't come from
 * a test runner and are kept.
 */
const maxKnownLength = 1_000;

/**
 * Shortens human-readable test output and keeps all unknown lines. Returns undefined if the result is uncertain or not shorter: no or
 * several test runners match, or the exit code contradicts the result.
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
