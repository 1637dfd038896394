import { isFalseVerdict, missingSignals, type RunnerCase, runnerCases } from "./runner-recordings.js";
import { tableOf } from "./text-table.js";

/**
 * Results of rtk for 73 similar runs with as many faults as these, recorded with its development version of August 2026. The runs differ
 * from these, so only the shares are comparable, not the bytes.
 */
const rtk: Readonly<Record<string, readonly [told: number, planted: number, medianPercent: number]>> = {
  vitest: [1, 51, 5],
  jest: [33, 51, 134],
  mocha: [9, 49, 3],
  playwright: [17, 19, 14],
  node: [13, 51, 2],
  pytest: [31, 64, 18],
  go: [35, 52, 61],
  maven: [30, 33, 35],
};

/** The greatest share of what a shell shows that a failing run may take, in the median, in percent. */
const targets: Readonly<Record<string, number>> = {
  vitest: 15,
  jest: 35,
  mocha: 15,
  playwright: 10,
  node: 10,
  pytest: 25,
  go: 70,
  maven: 15,
  gradle: 40,
  ruff: 20,
  eslint: 60,
  mypy: 80,
  tsc: 90,
};
const maxPassingBytes = 60;

/** Prints how much `run_tests` and `check` report of recorded runs. Exits with 1 if a signal is lost or a verdict is false. */
function main(): void {
  const cases = runnerCases();
  const runners = [...new Set(cases.map(({ recording }) => recording.runner))];
  const rows = runners.map((runner) =>
    rowOf(
      runner,
      cases.filter(({ recording }) => recording.runner === runner),
    ),
  );
  process.stdout.write(`${tableOf([header, ...rows.map(({ cells }) => cells)])}\n`);
  for (const row of rows) for (const missed of row.missed) process.stdout.write(`target missed: ${missed}\n`);
  const problems = cases.flatMap(problemsOf);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.stdout.write("held out: recorded after the reports, which were not changed for them.\n");
  process.stdout.write("rtk: told and median of its own 73 runs of the same kind (August 2026), not of these.\n");
  process.exitCode = problems.length > 0 ? 1 : 0;
}

const header = [
  ...["runner", "runs", "held out", "told: ours", "shell", "agent mode", "rtk", "false verdicts"],
  ...["failing: ours", "target", "agent mode", "rtk", "passing: bytes", "all: shell bytes", "ours"],
] as const;

interface Row {
  readonly cells: readonly string[];
  readonly missed: readonly string[];
}

function rowOf(runner: string, cases: readonly RunnerCase[]): Row {
  const failing = cases.filter(({ recording }) => !recording.passes);
  const plain = cases.find(({ recording }) => recording.name === "pass");
  const passing = plain === undefined ? 0 : bytes(plain.ours);
  const share = median(failing.map(({ ours, shell }) => bytes(ours) / bytes(shell)));
  const ofAll = sum(failing.map(({ ours }) => bytes(ours))) / sum(failing.map(({ shell }) => bytes(shell)));
  const [told, planted, rtkShare] = rtk[runner] ?? [];
  const withAgent = failing.filter(({ agent }) => agent !== undefined);
  const agentShare = median(withAgent.map(({ agent = "", shell }) => bytes(agent) / bytes(shell)));
  const larger = cases.filter(({ agent, ours }) => agent !== undefined && bytes(ours) > bytes(agent));
  const target = targets[runner] ?? 100;
  const missed = [
    ...(share > target / 100
      ? [`${runner}: failing runs take ${percent(share)}, not ${target} % (${percent(ofAll)} of all their bytes)`]
      : []),
    ...(passing > maxPassingBytes ? [`${runner}: a passing run takes ${passing} bytes, not ${maxPassingBytes}`] : []),
    ...larger.map(({ recording, ours, agent = "" }) => {
      const lost = missingSignals(recording.signals, agent).length;
      const less = lost === 0 ? "" : `, which does not tell ${lost} of ${recording.signals.length} signals`;
      return `${runner} ${recording.name} takes ${bytes(ours)} bytes, the runner's own agent mode ${bytes(agent)}${less}`;
    }),
  ];
  const cells = [
    runner,
    `${cases.length}`,
    `${cases.filter(({ recording }) => recording.heldOut === true).length}`,
    toldOf(cases, ({ ours }) => ours),
    toldOf(cases, ({ shell }) => shell),
    withAgent.length === 0 ? "-" : toldOf(cases, ({ agent = "" }) => agent),
    told === undefined || planted === undefined ? "-" : `${told}/${planted}`,
    `${cases.filter(isFalseVerdict).length}`,
    percent(share),
    targets[runner] === undefined ? "-" : `${target} %`,
    withAgent.length === 0 ? "-" : percent(agentShare),
    rtkShare === undefined ? "-" : `${rtkShare} %`,
    `${passing}`,
    `${sum(cases.map(({ shell }) => bytes(shell)))}`,
    `${sum(cases.map(({ ours }) => bytes(ours)))}`,
  ];
  return { cells, missed };
}

function problemsOf(one: RunnerCase): string[] {
  const name = `${one.recording.runner} ${one.recording.name}`;
  const missing = missingSignals(one.recording.signals, one.ours).map((signal) => `${name} does not tell ${signal}`);
  return isFalseVerdict(one)
    ? [...missing, `${name}: the verdict is false: ${one.ours.split("\n")[0] ?? ""}`]
    : missing;
}

function toldOf(cases: readonly RunnerCase[], textOf: (one: RunnerCase) => string): string {
  const planted = sum(cases.map(({ recording }) => recording.signals.length));
  const lost = sum(cases.map((one) => missingSignals(one.recording.signals, textOf(one)).length));
  return `${planted - lost}/${planted}`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

main();
