// node test/dist/vscode/run-host-suites.js [--only TEXT] [--oldest | --newest]
// The suites inside the extension host, in the oldest and the newest VS Code. Tells `npm test` of each test, as mocha's reporter
// does there.
import process, { stdout } from "node:process";
import { parseArgs } from "node:util";
import { type HostTest, runHostSuites } from "../support/vscode/host-suites.js";
import { NoChromium } from "../support/vscode/chromium.js";
import { newestVsCode, oldestVsCode, type VsCodeBuild } from "../support/vscode/vscode-build.js";

const { values } = parseArgs({
  options: {
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
  const title = `VS Code ${build.version}`;
  process.send?.({ type: "begin", title });
  for (const test of await suitesIn(build)) {
    stdout.write(`    ${marks[test.state]} ${test.title}${test.error === undefined ? "" : `\n${test.error}`}\n`);
    process.send?.({ type: test.state, title: `${title} › ${test.title}`, error: test.error });
    tests.push(test);
  }
}
process.send?.({ type: "ended" });
process.exitCode = tests.some(({ state }) => state === "failed") || tests.length === 0 ? 1 : 0;

async function suitesIn(build: VsCodeBuild): Promise<readonly HostTest[]> {
  try {
    return await runHostSuites(build, values.only);
  } catch (error) {
    if (!(error instanceof NoChromium)) throw error;
    return [{ title: `(all: ${error.message})`, state: "skipped" }];
  }
}
