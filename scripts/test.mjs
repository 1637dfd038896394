// npm test [-- OPTIONS]: builds, lints and runs every suite, in parts side by side; its end says again what failed, and the last
// line sums up.
//   --fast          leaves out what starts real agents, language servers or editors
//   --all           installs and tries every agent, also those that are left out by default
//   --only SUITE    that suite alone; may be given again
//   --repeat N      runs all of it N times, and ends with a table of what ever failed
//   --lanes N       how many parts run at once; one more than there are cores unless it says otherwise, since parts also wait
//   --busy N        beside N processes that do nothing but compute, to find what fails on a busy machine
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBundled, fail, root, spawnArguments, toolEnvironment } from "./set-up.mjs";
import { findBrowser } from "./test/browser.mjs";
import { whyNoBubblewrap } from "./test/bubblewrap.mjs";
import { runInLanes } from "./test/lanes.mjs";
import { runPart } from "./test/suite-process.mjs";
import { partsOf, suiteNames } from "./test/suites.mjs";

const options = readOptions();
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
const env = {
  ...(browser.program === undefined
    ? { SYMPOSIUM_NO_CHROMIUM: browser.missing }
    : { SYMPOSIUM_CHROMIUM: browser.program }),
  ...(options.all ? { SYMPOSIUM_TEST_ALL_AGENTS: "1" } : {}),
};
const parts = partsOf({ isFast: options.fast, only: options.only });
const fetching = parts.some(({ isLarge }) => isLarge) ? startFetching() : undefined;
const busy = Array.from({ length: options.busy }, () =>
  spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
);
process.on("exit", () => busy.forEach((child) => child.kill("SIGKILL")));

/** What ever failed: the error and in how many rounds, by suite and title. */
const failures = new Map();
const sum = { passed: 0, failed: 0, skipped: 0 };
for (let round = 1; round <= options.repeat && !stopped.signal.aborted; round++) {
  if (options.repeat > 1) console.log(`\n##### round ${round} of ${options.repeat}`);
  await runInLanes(parts, options.lanes, async (part) => {
    if (stopped.signal.aborted) return;
    // At once and with its reason: a run that is stopped, or whose end nobody can read, has told it.
    const onFailure = ({ title, error }) => console.log(`FAILED ${part.suite}: ${title}\n${indented(error)}`);
    const result = await runPart(part, { env, onFailure, signal: stopped.signal });
    console.log(`\n=== ${result.name}: ${Math.round(result.seconds)} s ===\n${result.output.trimEnd()}`);
    for (const key of Object.keys(sum)) sum[key] += result[key].length;
    for (const { title, error } of result.failed) note(`${part.suite}: ${title}`, error);
  });
}
fetching?.kill();
report();
process.exit(sum.failed === 0 && sum.passed > 0 ? 0 : 1);

function readOptions() {
  const count = { type: "string" };
  const { values } = parseArgs({
    options: {
      fast: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
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

/** The types and the tests by the compiler; beside it, where a suite needs it, the extension's package, made of the sources. */
async function build() {
  const steps = [["tsc", ["-b"]]];
  if (!options.fast) steps.push(["node", [join(root, "scripts/package-extension.mjs")]]);
  const codes = await Promise.all(
    steps.map(([program, words]) => {
      const child = spawn(...spawnArguments(program, words, { cwd: root, env: toolEnvironment(), stdio: "inherit" }));
      stopped.signal.addEventListener("abort", () => child.kill());
      return new Promise((resolve) => child.on("close", resolve).on("error", resolve));
    }),
  );
  if (codes.some((code) => code !== 0)) fail("The build failed: see above.");
}

/** The large things that slow suites need, while others run that need none of them. */
function startFetching() {
  const words = [join(root, "test/dist/support/fetch.js")];
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
  if (failures.size > 0) console.log("\n=== failed ===");
  for (const [title, { error }] of failures) console.log(`\n${title}\n${indented(error)}`);
  if (options.repeat > 1) {
    console.log(`\n=== what ever failed in ${options.repeat} rounds ===\n`);
    for (const [title, { rounds }] of failures) console.log(`${String(rounds).padStart(4)}  ${title}`);
    if (failures.size === 0) console.log("   0  nothing");
  }
  if (noSandbox !== undefined) console.log(`\nThe tests of the sandbox were skipped: ${noSandbox}`);
  const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : "";
  console.log(`\n${sum.passed} passed, ${sum.failed} failed${skipped}`);
}

function indented(error = "") {
  return error.trimEnd().replaceAll(/^/gm, "  ");
}
