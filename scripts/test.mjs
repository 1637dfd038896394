// npm test: lint, build and every suite; its end says again what failed, and the last line sums up.
// `npm test -- --fast` leaves out the end-to-end suites.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBundled, fail, root, run, spawnArguments, toolEnvironment } from "./set-up.mjs";

const isFast = process.argv.includes("--fast");
ensureBundled();
if (run("npm", ["run", "--silent", "build"]) !== 0) fail("The build failed: see above.");
if (!isFast && run("node", [join(root, "scripts/package-extension.mjs")]) !== 0) fail("The package failed: see above.");
// Beside the first suites, whose processes leave a core idle most of the time.
const linting = ended(start("npm", ["run", "--silent", "lint"], ["ignore", "pipe", "pipe"]));

const suites = [
  { name: "core", files: "core/dist/test/**/*.test.js", timeoutMs: 20_000 },
  { name: "language servers", files: "lsp-adapter/dist/test/**/*.test.js", timeoutMs: 90_000, isSlow: true },
  { name: "test support", files: "test/dist/support/**/*.test.js", timeoutMs: 20_000 },
  { name: "conformance", files: "test/dist/conformance/**/*.test.js", timeoutMs: 30_000 },
  { name: "extension", files: "vscode-extension/dist-ts/test/unit/**/*.test.js", timeoutMs: 30_000 },
  { name: "docs", files: "test/docs/**/*.test.mjs", timeoutMs: 60_000 },
  { name: "release", files: "test/release/**/*.test.mjs", timeoutMs: 60_000, isSlow: true },
  { name: "end to end", files: "test/dist/e2e/**/*.test.js", timeoutMs: 180_000, isSlow: true },
  { name: "extension host", program: "test/dist/vscode/run-host-suites.js", isSlow: true },
  { name: "VS Code", files: "test/dist/vscode/**/*.test.js", timeoutMs: 180_000, isSlow: true },
].filter((suite) => !(isFast && suite.isSlow));

const output = join(root, "test-output");
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

const sum = { passes: 0, failures: 0, pending: 0 };
/** What failed, each as the lines that the end shows. */
const failed = [];
for (const [index, suite] of suites.entries()) {
  console.log(`\n=== ${suite.name} ===`);
  const report = join(output, `suite-${index}.json`);
  const words = suite.program === undefined ? mochaWords(suite, report) : [suite.program, "--report", report];
  const startedAt = Date.now();
  const { status } = await ended(start("node", words, "inherit"));
  try {
    const stats = JSON.parse(readFileSync(report, "utf8"));
    for (const key of Object.keys(sum)) sum[key] += stats[key];
    for (const test of stats.failed) failed.push(`${suite.name}: ${test.title}\n${indented(test.error ?? "")}`);
    if (status !== 0 && stats.failures === 0)
      countAsFailed(`The suite "${suite.name}" ended with exit code ${status}.`);
  } catch {
    countAsFailed(`The suite "${suite.name}" ended without a report (exit code ${status}).`);
  }
  console.log(`=== ${suite.name}: ${Math.round((Date.now() - startedAt) / 1000)} s`);
}
const lint = await linting;
if (lint.status !== 0) countAsFailed(`lint ended with exit code ${lint.status}:\n${indented(lint.output)}`);
if (failed.length > 0) console.log(`\n=== failed ===\n\n${failed.join("\n\n")}`);
console.log(`\n${sum.passes} passed, ${sum.failures} failed${sum.pending > 0 ? `, ${sum.pending} skipped` : ""}`);
process.exit(sum.failures === 0 && sum.passes > 0 ? 0 : 1);

/** What is no test of a suite counts as one failure. */
function countAsFailed(words) {
  sum.failures += 1;
  failed.push(words);
}

function indented(text) {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}

function mochaWords({ files, timeoutMs }, report) {
  const reporter = join(root, "scripts/test-reporter.cjs");
  return [
    ...[join(root, "node_modules/mocha/bin/mocha.js"), "--reporter", reporter, "--reporter-option", `output=${report}`],
    ...["--timeout", String(timeoutMs), "--forbid-only", files],
  ];
}

function start(program, words, stdio) {
  return spawn(...spawnArguments(program, words, { cwd: root, env: toolEnvironment(), stdio }));
}

/** Resolves with what the process ends with, and with what it printed where that is not shown already. */
function ended(child) {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
  });
}
