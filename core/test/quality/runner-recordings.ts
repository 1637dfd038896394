import { existsSync, readdirSync, readFileSync } from "node:fs";
import { reportOf, wordsOf } from "../../src/extensions/test-tools/test-runs.js";
import { type CheckPart, readParts } from "../../src/extensions/test-tools/checker.js";
import type { CheckerName } from "../../src/extensions/test-tools/test-runner.js";
import type { TestRunner } from "../../src/extensions/test-tools/test-runner.js";
import { formatCheckRun } from "../../src/extensions/runs/format-check-report.js";
import { formatTestRun } from "../../src/extensions/runs/format-test-report.js";
import type { RunExit } from "../../src/base/runs/run.js";

const recorded = new URL("../../../../test/fixtures/runners/", import.meta.url);

/** Text that the report must contain; a list means any one of its texts. */
type Signal = string | readonly string[];

/** A run of a runner over a project with faults planted in it, as scripts/quality/record.mjs wrote it. */
interface RunnerRecording {
  readonly runner: TestRunner["name"] | CheckerName;
  readonly name: string;
  /** Whether nothing was planted that fails. */
  readonly passes: boolean;
  readonly exit: Omit<RunExit, "durationMs">;
  readonly timeoutMs: number;
  readonly goModule?: string;
  /** Output of each command, recorded if findings of some commands are left out. */
  readonly parts?: readonly CheckPart[];
  /** It was written after the reports, which were not changed for it. */
  readonly heldOut?: boolean;
  /** Planted faults, as the report must show them. */
  readonly signals: readonly Signal[];
}

/** Recorded run with its planted faults, and its text for each kind of reader. */
export interface RunnerCase {
  readonly recording: RunnerRecording;
  /** Output in a shell. */
  readonly shell: string;
  /** Output in a shell if the runner detects an agent; undefined for runners without such detection. */
  readonly agent: string | undefined;
  /** Whether it is one of `check`. */
  readonly isCheck: boolean;
  /** Report of `run_tests` or `check`. */
  readonly ours: string;
}

/** Every recorded run of every runner. */
export function runnerCases(): readonly RunnerCase[] {
  const runners = readdirSync(recorded, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return runners.flatMap(({ name: runner }) => {
    const folder = new URL(`${runner}/`, recorded);
    const names = readdirSync(folder).filter((file) => file.endsWith(".json"));
    return names.sort().map((file) => toCase(folder, file.replace(/\.json$/, "")));
  });
}

function toCase(folder: URL, name: string): RunnerCase {
  const read = (kind: string): string | undefined => {
    const file = new URL(`${name}.${kind}`, folder);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  const recording = JSON.parse(read("json") ?? "") as RunnerRecording;
  const shell = read("shell.txt") ?? "";
  const raw = read("run.txt") ?? shell;
  const { runner, goModule = "" } = recording;
  const exit = { ...recording.exit, durationMs: 1 };
  const { timeoutMs } = recording;
  const common = { shell, agent: read("agent.txt"), recording, isCheck: isChecker(runner) };
  if (isChecker(runner)) {
    const errors = read("errors.txt") ?? "";
    const facts = { name: runner, exit, handle: "t1", folder: "/w", timeoutMs, raw: `${raw}\n${errors}` };
    const whole = [{ output: raw, errors, exitCode: exit.code }];
    const { report, exitCode } = readParts(runner, recording.parts ?? whole);
    return { ...common, ours: formatCheckRun(report, { ...facts, exit: { ...exit, code: exitCode } }).text };
  }
  const report = reportOf({ name: runner, goModule }, raw, read("events.jsonl") ?? "");
  const words = wordsOf({ name: runner }, raw);
  const facts = { name: runner, exit, handle: "t1", folder: "/w", timeoutMs, raw: words };
  return { ...common, ours: formatTestRun(report, facts).text };
}

const runners = {
  vitest: 0,
  jest: 0,
  mocha: 0,
  playwright: 0,
  node: 0,
  bun: 0,
  pytest: 0,
  go: 0,
  maven: 0,
  gradle: 0,
  script: 0,
} satisfies Record<TestRunner["name"], 0>;

function isChecker(name: RunnerRecording["runner"]): name is CheckerName {
  return !(name in runners);
}

const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");

/** The planted signals that `text` does not tell. */
export function missingSignals(signals: readonly Signal[], text: string): readonly string[] {
  // Colour codes can separate a location from its line.
  const plain = text.replace(ansi, "");
  const missing = signals.filter((signal) => ![signal].flat().some((words) => plain.includes(words)));
  return missing.map((signal) => [signal].flat().join(" | "));
}

/** Whether the first line says of a run that failed that it passed, or the other way round. */
export function isFalseVerdict({ recording, ours }: RunnerCase): boolean {
  const [first = ""] = ours.split("\n");
  const isGreen =
    !/\bexit [1-9]|\bfailed(?! as expected)|\berrors?\b|\bended\b|could not|did not finish|timed out|stopped because|stopped in/.test(
      first,
    );
  return isGreen !== recording.passes;
}
