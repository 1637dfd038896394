import type { FailedTest, TestSuite } from "./test-run.js";

interface TestText {
  readonly lines: readonly string[];
  readonly leftOut: number;
}

/** Sums up all suites, for example `12 passed, 1 failed`. */
export function testCounts(suites: readonly TestSuite[]): string {
  const sum = (key: "passed" | "failed" | "ignored" | "measured" | "filteredOut"): number =>
    suites.reduce((total, suite) => total + suite[key], 0);
  const counts = [`${sum("passed")} passed`];
  if (sum("failed") > 0) counts.push(`${sum("failed")} failed`);
  if (sum("ignored") > 0) counts.push(`${sum("ignored")} ignored`);
  if (sum("measured") > 0) counts.push(`${sum("measured")} measured`);
  if (sum("filteredOut") > 0) counts.push(`${sum("filteredOut")} filtered out`);
  return counts.join(", ");
}

/** Formats failed tests and suites without a result. Omits passed tests. */
export function formatTests(suites: readonly TestSuite[]): TestText {
  const lines: string[] = [];
  let leftOut = 0;
  for (const suite of suites) {
    const { failures, end, stray } = suite;
    if (failures.length === 0 && end === undefined) {
      leftOut += stray.length;
      continue;
    }
    lines.push(suiteTitle(suite));
    for (const failure of failures) {
      lines.push(...failureLines(failure));
      leftOut += failure.backtrace + failure.omitted;
    }
    // If the harness captured nothing, the reasons are in the tests' uncaptured output.
    const isExplained = failures.every(
      ({ place, message, output }) => place !== undefined || message.length + output.length > 0,
    );
    if (end === undefined && isExplained) {
      leftOut += stray.length;
    } else {
      lines.push(...stray.toLines().map((line) => ` ${line}`));
      leftOut += stray.omitted;
    }
  }
  return { lines, leftOut };
}

function suiteTitle({ title, passed, failed, end }: TestSuite): string {
  const counts = [passed > 0 ? `${passed} passed` : "", failed > 0 ? `${failed} failed` : ""].filter(
    (text) => text !== "",
  );
  const outcome = end === undefined ? counts : [`ended early (${end})`, ...counts];
  return `${title}: ${outcome.join(", ")}`;
}

function failureLines({ name, place, message, output }: FailedTest): string[] {
  const [first = "", ...rest] = message;
  const headline = ["FAILED", name, place].filter((part) => part !== undefined).join(" ");
  return [
    first === "" ? headline : `${headline}: ${first}`,
    ...rest.map((line) => ` ${line}`),
    ...(output.length > 0 ? [" output:", ...output.map((line) => `  ${line}`)] : []),
  ];
}
