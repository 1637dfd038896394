import { pytestWords } from "./pytest-words.js";
import { withoutColours } from "./shortened-output.js";
import { knownWords } from "./runner-words.js";

/** A run of tests in fewer words than its runner's. */
interface CondensedRun {
  /** The runner, and how it went: `vitest: 3 failed, 96 passed`. */
  readonly verdict: string;
  /** What the runner wrote, without what tells of tests that passed; in its order. */
  readonly lines: readonly string[];
}

/** Room for what stands behind the verdict; with it, too, the report is shorter. */
export const maxMarkLength = 60;

/** Longer lines are no runner's own; they are kept without a look, since patterns could take seconds for one. */
const maxKnownLength = 1_000;

/**
 * The report of a run of tests of which there is nothing but what the runner wrote for people. Lines that are not known are kept,
 * each as it is. Undefined where it is not certain: where no known runner says how its one run went, or two do, where the exit code
 * says otherwise, and where the report would not be shorter.
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
