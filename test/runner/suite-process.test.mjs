import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runPart } from "../../scripts/test/suite-process.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const mocha = join(root, "node_modules/mocha/bin/mocha.js");
const reporter = join(root, "scripts/test/reporter.cjs");
const seconds = 1_000;

describe("a part of the tests", function () {
  this.timeout(60 * seconds);
  let folder;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "part-"))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function runFile(text, { limits, limitMinutes = 1, ...options } = {}) {
    const file = join(folder, "some.test.cjs");
    await writeFile(file, text);
    const words = [mocha, "--reporter", reporter, "--timeout", "0", file];
    const result = await runPart({ name: "some", words, limitMinutes }, { limits, ...options });
    return { name: result.name, passed: result.passed, skipped: result.skipped, failed: result.failed };
  }

  it("says of each test how it ended", async () => {
    const heard = [];
    const onFailure = ({ title }) => heard.push(title);
    const text = `it("works", () => undefined); it.skip("is left out"); it("fails", () => { throw new Error("why"); });
      describe("later", () => { before(() => { throw new Error("why"); }); it("is not reached", () => undefined); });`;
    const { failed, ...others } = await runFile(text, { onFailure });
    assert.deepEqual(others, { name: "some", passed: ["works"], skipped: ["is left out"] });
    const titles = ["fails", 'later "before all" hook for "is not reached"'];
    assert.deepEqual([failed.map(({ title }) => title), heard], [titles, titles]);
    assert.deepEqual(new Set(failed.map(({ file }) => file)), new Set([join(folder, "some.test.cjs")]));
    assert.match(failed[0].error, /^Error: why\n {4}at /);
  });

  it("has longer limits on a slow machine, including those that a test sets", async () => {
    const text = `const is = (test, ms) => { if (test.timeout() !== ms) throw new Error(String(test.timeout())); };
      describe("slow", function () {
        this.timeout(100);
        beforeEach(function () { is(this, 300); });
        it("has the suite's", function () { is(this, 300); });
        it("has its own", function () { is(this, 600); }).timeout(200);
        it("sets its own", function () { this.timeout(300); is(this, 900); });
      });`;
    const { SYMPOSIUM_TEST_SLOWNESS: before } = process.env;
    process.env.SYMPOSIUM_TEST_SLOWNESS = "3";
    try {
      const { passed, failed } = await runFile(text);
      assert.deepEqual([passed.length, failed], [3, []]);
    } finally {
      if (before === undefined) delete process.env.SYMPOSIUM_TEST_SLOWNESS;
      else process.env.SYMPOSIUM_TEST_SLOWNESS = before;
    }
  });

  it("fails when a test never ends, and says which", async () => {
    const text = `it("works", () => undefined); it("waits", (done) => { setInterval(() => undefined, 1_000); });`;
    assert.deepEqual(await runFile(text, { limits: { quietMs: 3 * seconds } }), {
      ...{ name: "some", passed: ["works"], skipped: [] },
      failed: [{ title: "(some)", error: 'This part said nothing for 0.05 minutes; it was in "waits".' }],
    });
  });

  it("may have a test that takes longer and prints its steps", async () => {
    const text = `it("prints", (done) => {
      let count = 0;
      const step = () => (console.log(++count), count < 20 ? setTimeout(step, 300) : done());
      step();
    });`;
    const { passed, failed } = await runFile(text, { limits: { quietMs: 4 * seconds } });
    assert.deepEqual([passed, failed], [["prints"], []]);
  });

  it("fails when it takes too long although it goes on", async () => {
    const text = `for (let count = 0; count < 1_000; count++) it("is " + count, (done) => setTimeout(done, 100));`;
    const { failed } = await runFile(text, { limitMinutes: 0.05 });
    assert.match(failed[0].error, /^This part took more than 0.05 minutes; it was in "is \d+".$/);
  });

  it("fails when its process does not end after the last test, and says what it holds open", async () => {
    const text = `require("node:net").createServer().listen(0); it("works", () => undefined);`;
    const { passed, failed } = await runFile(text, { limits: { exitMs: 8 * seconds } });
    assert.deepEqual(passed, ["works"]);
    assert.match(
      failed[0].error,
      /^This part ran its tests to the end and then did not end: what it holds open is .*TCP/,
    );
  });

  it("fails when it leaves a process behind, which is ended", async function () {
    if (process.platform !== "linux") {
      this.test.title += " (such processes are found in /proc)";
      this.skip();
    }
    const text = `it("works", (done) => {
      const child = require("node:child_process").spawn(process.execPath, ["--eval", "setInterval(() => undefined, 1000)"], {
        detached: true, stdio: "ignore" });
      child.unref();
      child.once("spawn", () => { console.log("pid " + child.pid + "."); done(); });
    });`;
    const file = join(folder, "some.test.cjs");
    await writeFile(file, text);
    const part = { name: "some", words: [mocha, "--reporter", reporter, file], limitMinutes: 1 };
    const { failed, output } = await runPart(part, { limits: { graceMs: seconds } });
    assert.match(failed[0].error, /^Left running: .*setInterval/);
    const [, pid] = /pid (\d+)\./.exec(output);
    // An ended process whose parent doesn't wait for it keeps its pid, but its command line is empty.
    assert.equal(await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""), "");
  });

  it("fails when its file cannot be loaded", async () => {
    const { failed } = await runFile("throw new Error('broken file');");
    assert.match(failed[0].error, /^This part ended with 1:[^]*broken file/);
  });

  it("fails when it has no test", async () => {
    const { failed } = await runFile("describe('nothing', () => undefined);");
    assert.deepEqual(failed, [{ title: "(some)", error: "This part ran no test." }]);
  });

  it("ends with all its processes when the run is stopped", async () => {
    const stop = new AbortController();
    const text = `it("waits", (done) => { require("node:child_process").spawn("sleep", ["1000"]); console.log("waits"); });`;
    const running = runFile(text, { signal: stop.signal, limits: { graceMs: seconds } });
    setTimeout(() => stop.abort(), seconds);
    assert.deepEqual((await running).failed, [{ title: "(some)", error: "This part was stopped." }]);
  });
});
