import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { folderWith } from "../../agents/recommendations/workspace-fixture.js";

const reporters = fileURLToPath(new URL("../../../../reporters/", import.meta.url));

/** The events that a piece of code writes by what the reporters share. */
async function eventsOf(code: string): Promise<readonly unknown[]> {
  await using folder = await folderWith({});
  const events = join(folder.path, "events");
  const env = { ...process.env, SYMPOSIUM_TEST_EVENTS: events };
  const script = `const { emit, obsolete } = require(${JSON.stringify(join(reporters, "events.cjs"))}); ${code}`;
  const { stderr } = spawnSync(process.execPath, ["-e", script], { cwd: folder.path, env, encoding: "utf8" });
  assert.equal(stderr, "");
  const lines = (await readFile(events, "utf8")).trimEnd().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

describe("what the reporters share", () => {
  it("names the snapshots that no test asks for, with their files", async () => {
    const summary = `{ unchecked: 2, filesRemoved: 1, uncheckedKeysByFile: [{ filePath: process.cwd() + "/src/a.test.ts", keys: ["a 1", "b 1"] }] }`;
    assert.deepEqual(await eventsOf(`obsolete(${summary}); obsolete({ unchecked: 1 }); obsolete({ unchecked: 0 });`), [
      { event: "notice", text: "2 snapshots are obsolete: a 1 (src/a.test.ts); b 1 (src/a.test.ts)" },
      { event: "notice", text: "1 file of snapshots is obsolete" },
      { event: "notice", text: "1 snapshot is obsolete" },
    ]);
  });

  it("names ten of many", async () => {
    const keys = "keys: Array.from({ length: 12 }, (_, index) => `s ${index}`)";
    const [event] = await eventsOf(`obsolete({ unchecked: 12, uncheckedKeysByFile: [{ filePath: "a", ${keys} }] });`);
    assert.match(JSON.stringify(event), /12 snapshots are obsolete: s 0 \(a\); .*s 9 \(a\); 2 more"/);
  });

  it("have of Jest the place of a test behind calls of Jest alone, and no cause that says the same", async () => {
    const messageWith = (cause: string): string =>
      [
        "Error: thrown: late\n    at _getError (/w/node_modules/jest-circus/a.js:1:1)",
        `  [cause]: ${cause}\n    at Object.test (/w/src/f.test.js:7:1)`,
      ].join("\n\n");
    const tests = ["Error: thrown: late", "Error:", "Error: no table"].map((cause) => ({
      ...{ fullName: "slow", status: "failed" },
      failureMessages: [messageWith(cause)],
    }));
    const result = JSON.stringify({ testFilePath: "/w/src/f.test.js", testResults: tests });
    const reporter = JSON.stringify(join(reporters, "jest.cjs"));
    const events = await eventsOf(`new (require(${reporter}))().onTestResult({}, ${result});`);
    assert.deepEqual(
      events.map((event) => {
        const { message, stack } = event as { readonly message: string; readonly stack: string };
        return [message, /\(\/w\/[^)]*\)/.exec(stack)?.[0]];
      }),
      [
        ["thrown: late", "(/w/src/f.test.js:7:1)"],
        ["thrown: late", "(/w/src/f.test.js:7:1)"],
        ["thrown: late\ncaused by: Error: no table", "(/w/node_modules/jest-circus/a.js:1:1)"],
      ],
    );
  });

  it("name the file of Vitest that is loaded, in which a run may hang", async () => {
    const reporter = JSON.stringify(pathToFileURL(join(reporters, "vitest.mjs")).href);
    const module = `{ moduleId: "/w/a.test.ts" }`;
    const code = `import(${reporter}).then(({ default: Reporter }) => new Reporter().onTestModuleQueued(${module}));`;
    assert.deepEqual(await eventsOf(code), [{ event: "start", name: "/w/a.test.ts" }]);
  });

  it("say of Mocha, Jest and Vitest which tests passed only when they were run again", async () => {
    const mocha = `
      const runner = new (require("node:events").EventEmitter)();
      new (require(${JSON.stringify(join(reporters, "mocha.cjs"))}))(runner, {});
      for (const retry of [0, 1]) runner.emit("pass", { fullTitle: () => "m" + retry, file: "m.js", currentRetry: () => retry });`;
    const jest = `
      const testResults = [1, 2].map((invocations) => ({ fullName: "j" + invocations, status: "passed", invocations }));
      new (require(${JSON.stringify(join(reporters, "jest.cjs"))}))().onTestResult({}, { testFilePath: "j.js", testResults });`;
    const vitest = `
      import(${JSON.stringify(pathToFileURL(join(reporters, "vitest.mjs")).href)}).then(({ default: Reporter }) => {
        for (const retryCount of [0, 2]) {
          const base = { fullName: "v" + retryCount, module: { moduleId: "v.js" }, diagnostic: () => ({ retryCount }) };
          new Reporter().onTestCaseResult({ ...base, result: () => ({ state: "passed" }) });
        }
      });`;
    const said = await Promise.all([mocha, jest, vitest].map((code) => eventsOf(code)));
    const notices = said.flat().flatMap((event) => {
      const { event: kind, text = "" } = event as { readonly event: string; readonly text?: string };
      return kind === "notice" ? [text] : [];
    });
    assert.deepEqual(notices, [
      "flaky: m1 passed at attempt 2",
      "flaky: j2 passed at attempt 2",
      "flaky: v2 passed at attempt 3",
    ]);
  });

  it("has no colours in the names of tests", async () => {
    assert.deepEqual(await eventsOf(String.raw`emit({ event: "pass", name: "\x1b[31mred\x1b[0m" });`), [
      { event: "pass", name: "red" },
    ]);
  });
});
