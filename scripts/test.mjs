// `npm test [-- OPTIONS]` builds, lints, runs all unit and page tests, and runs each main story once with real parts.
// `npm run test:all [-- OPTIONS]` runs the rest: all agents, all editors, all packages.
// The last lines repeat the failures and sum up.
//   `--fast`          Only parts that start no real agent, language server or editor.
//   `--only SUITE`    Only that suite, both its halves; repeatable.
//   `--repeat N`      Runs everything N times, then prints a table of all failures.
//   `--lanes N`       Maximum parts at once; the default is one more than there are cores, since parts also wait.
//   `--busy N`        Runs next to N processes that only compute, to find tests that fail on a busy machine.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBundled, fail, root, spawnArguments, toolEnvironment } from "./set-up.mjs";
import { findBrowser } from "./test/browser.mjs";
import { whyNoBubblewrap } from "./test/bubblewrap.mjs";
import { runInLanes } from "./test/lanes.mjs";
import { longestFirst, storeSeconds } from "./test/part-seconds.mjs";
import { Progress } from "./test/progress.mjs";
import { runOnceOrTwice } from "./test/retry.mjs";
import { measureSlowness } from "./test/slowness.mjs";
import { partsOf, suiteNames } from "./test/suites.mjs";

const options = readOptions();
/** `--only` names a suite to be run whole. */
const half = options.only.length > 0 ? "both" : options.rest ? "rest" : "walks";
const stopped = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => stopped.abort());

ensureBundled();
await build();
const output = join(root, "test-output");
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const browser = await findBrowser();
const noSandbox = whyNoBubblewrap();
if (noSandbox !== undefined) console.log(`The tests of the sandbox are skipped: ${noSandbox}`);
const busy = Array.from({ length: options.busy }, () =>
  spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
);
process.on("exit", () => busy.forEach((child) => child.kill("SIGKILL")));
const slowness = measureSlowness();
console.log(`Limits of tests are multiplied by ${slowness}, the measured slowness of this machine.`);
const env = {
  ...(browser.program === undefined
    ? { SYMPOSIUM_NO_CHROMIUM: browser.missing }
    : { SYMPOSIUM_CHROMIUM: browser.program }),
  SYMPOSIUM_TEST_SLOWNESS: String(slowness),
};
const parts = longestFirst(partsOf({ half, isFast: options.fast, only: options.only, slowness }));
const fetching = parts.some(({ needsFetched }) => needsFetched) ? startFetching() : undefined;

/** Each failure's error and number of rounds, by suite and title. */
const failures = new Map();
const flaky = [];
const sum = { passed: 0, failed: 0, skipped: 0 };
for (let round = 1; round <= options.repeat && !stopped.signal.aborted; round++) {
  if (options.repeat > 1) console.log(`\n##### round ${round} of ${options.repeat}`);
  const progress = new Progress(parts, options.lanes);
  await runInLanes(parts, options.lanes, async (part) => {
    if (stopped.signal.aborted) return;
    progress.started(part);
    // Printed at once: a run that is stopped has reported it.
    const onFailure = ({ title, error }) => progress.print(`FAILED ${part.suite}: ${title}\n${indented(error)}`);
    const result = await runOnceOrTwice(part, { env, onFailure, signal: stopped.signal });
    progress.ended(part);
    progress.print(`\n=== ${result.name}: ${Math.round(result.seconds)} s ===\n${result.output.trimEnd()}`);
    for (const key of Object.keys(sum)) sum[key] += result[key].length;
    for (const { title, error } of result.failed) note(`${part.suite}: ${title}`, error);
    for (const { title, error } of result.flaky) flaky.push({ title: `${part.suite}: ${title}`, error });
    storeSeconds([[part.name, result.seconds]]);
  });
  progress.end();
}
fetching?.kill();
const maxFlaky = 2 * options.repeat;
if (flaky.length > maxFlaky) {
  sum.failed++;
  note("flaky tests", `${flaky.length} tests passed only the second time; more than ${maxFlaky} fail the run.`);
}
report();
process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);

function readOptions() {
  const count = { type: "string" };
  const { values } = parseArgs({
    options: {
      fast: { type: "boolean", default: false },
      rest: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      repeat: { ...count, default: "1" },
      lanes: { ...count, default: String(availableParallelism() + 1) },
      busy: { ...count, default: "0" },
    },
  });
  const strange = values.only.find((name) => !suiteNames.includes(name));
  if (strange !== undefined) fail(`"${strange}" is no suite: ${suiteNames.join(", ")}.`);
  for (const name of ["repeat", "lanes", "busy"]) {
    if (!/^\d+$/.test(values[name])) fail(`--${name} takes a number, not "${values[name]}".`);
    values[name] = Number(values[name]);
  }
  return values;
}

/** Compiles everything, then makes the extension of the output: tests open its pages. The walks and the rest install its package. */
async function build() {
  const script = options.fast ? "bundle-extension.mjs" : "package-extension.mjs";
  const steps = [
    ["tsc", ["-b"]],
    ["node", [join(root, "scripts", script)]],
  ];
  for (const [program, words] of steps) {
    const child = spawn(...spawnArguments(program, words, { cwd: root, env: toolEnvironment(), stdio: "inherit" }));
    stopped.signal.addEventListener("abort", () => child.kill());
    const code = await new Promise((resolve) => child.on("close", resolve).on("error", resolve));
    if (code !== 0) fail("The build failed: see above.");
  }
}

/** The large things that slow suites need, while others run that need none of them. */
function startFetching() {
  const words = [join(root, "test/dist/support/fetch.js"), half === "walks" ? "walks" : "all"];
  const child = spawn("node", words, { cwd: root, env: { ...toolEnvironment(), ...env }, stdio: ["ignore", 2, 2] });
  child.on("error", (error) => console.error(`Nothing is fetched early: ${error.message}`));
  stopped.signal.addEventListener("abort", () => child.kill());
  return child;
}

function note(title, error = "") {
  const known = failures.get(title);
  failures.set(title, { error: known?.error ?? error, rounds: (known?.rounds ?? 0) + 1 });
}

function report() {
  if (noSandbox !== undefined) console.log(`\nThe tests of the sandbox were skipped: ${noSandbox}`);
  if (flaky.length > 0) console.log("\n=== flaky: failed, then passed in a fresh process ===");
  for (const { title, error } of flaky) console.log(`\n${title}\n${indented(error)}`);
  if (failures.size > 0) console.log("\n=== failed ===");
  for (const [title, { error }] of failures) console.log(`\n${title}\n${indented(error)}`);
  if (options.repeat > 1) {
    console.log(`\n=== failures in ${options.repeat} rounds ===\n`);
    for (const [title, { rounds }] of failures) console.log(`${String(rounds).padStart(4)}  ${title}`);
    if (failures.size === 0) console.log("   0  nothing");
  }
  console.log("");
  for (const title of failures.keys()) console.log(`failed: ${title}`);
  for (const { title } of flaky) console.log(`flaky: ${title}`);
  const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : "";
  console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
}

function indented(error = "") {
  return error.trimEnd().replaceAll(/^/gm, "  ");
}
