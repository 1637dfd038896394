// node test/dist/vscode/run-host-suites.js [--report FILE] [--only TEXT] [--oldest | --newest]
// The suites inside the extension host, in the oldest and the newest VS Code. The report has the counts of both, and what failed.
import { writeFile } from "node:fs/promises";
import { stdout } from "node:process";
import { parseArgs } from "node:util";
import { type HostTest, runHostSuites } from "../support/vscode/host-suites.js";
import { newestVsCode, oldestVsCode } from "../support/vscode/vscode-build.js";

const { values } = parseArgs({
  options: {
    report: { type: "string" },
    only: { type: "string" },
    oldest: { type: "boolean" },
    newest: { type: "boolean" },
  },
});
const marks = { passed: "✔", failed: "✖", skipped: "-" } as const;
const builds = [...(values.newest === true ? [] : [oldestVsCode]), ...(values.oldest === true ? [] : [newestVsCode])];

const tests: HostTest[] = [];
for (const build of builds) {
  stdout.write(`\n  VS Code ${build.version}\n`);
  for (const test of await runHostSuites(build, values.only)) {
    stdout.write(`    ${marks[test.state]} ${test.title}${test.error === undefined ? "" : `\n${test.error}`}\n`);
    tests.push({ ...test, title: `VS Code ${build.version} › ${test.title}` });
  }
}
const count = (state: HostTest["state"]) => tests.filter((test) => test.state === state).length;
const counts = { passes: count("passed"), failures: count("failed"), pending: count("skipped") };
const failed = tests.filter((test) => test.state === "failed");
if (values.report !== undefined) await writeFile(values.report, JSON.stringify({ ...counts, failed }));
process.exitCode = counts.failures === 0 && counts.passes > 0 ? 0 : 1;
