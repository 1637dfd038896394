import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Progress } from "../../scripts/test/progress.mjs";
import { runOnceOrTwice } from "../../scripts/test/retry.mjs";
import { filesOf as testFilesOf, partsOf } from "../../scripts/test/suites.mjs";
import { root } from "../../scripts/set-up.mjs";

describe("the two halves of the tests", () => {
  const filesOf = (parts) => parts.flatMap(({ files = [] }) => files);

  it("have every file once, and no file twice", () => {
    const halves = [...filesOf(partsOf({ half: "walks" })), ...filesOf(partsOf({ half: "rest" }))];
    const whole = filesOf(partsOf({ half: "both" }));
    assert.deepEqual(halves.sort(), whole.sort());
    assert.equal(new Set(whole).size, whole.length);
    const inFolder = readdirSync(join(root, "test/release"), { recursive: true }).filter((name) =>
      name.endsWith(".test.mjs"),
    );
    assert.equal(whole.filter((file) => file.includes("/test/release/")).length, inFolder.length);
  });

  it("keep editors, agents and packages but for one walk of each story out of `npm test`", () => {
    const names = partsOf({ half: "walks" }).map(({ name }) => name);
    const walks = [
      "agents",
      "host",
      "language-server",
      "other-machines",
      "sandbox",
      "shared-servers",
      "terminal",
      "vscode",
      "zed",
    ];
    assert.deepEqual(
      names.filter((name) => name.startsWith("walks")),
      walks.map((name) => `walks: ${name}`),
    );
    assert.ok(!names.some((name) => /^(?:VS Code|extension host|end to end)/.test(name)));
    assert.deepEqual(
      partsOf({ isFast: true }).filter(({ mayFlake }) => mayFlake),
      [],
    );
  });

  it("leave out compiled tests whose source is gone", async () => {
    const base = await mkdtemp(join(tmpdir(), "suites-"));
    try {
      for (const folder of ["core/dist/test/a", "core/test/a"]) await mkdir(join(base, folder), { recursive: true });
      for (const file of ["dist/test/a/old.test.js", "dist/test/a/b.test.js", "test/a/b.test.ts"])
        await writeFile(join(base, "core", file), "");
      assert.deepEqual(testFilesOf({ folder: "core/dist/test" }, base), ["a/b.test.js"]);
    } finally {
      await rm(base, { recursive: true });
    }
  });

  it("have more minutes on a slow machine", () => {
    const [part] = partsOf({ only: ["conformance"], slowness: 2 });
    assert.equal(part.limitMinutes, 30);
  });
});

describe("a second try", () => {
  const result = (failed, passed = []) => ({ name: "p", passed, skipped: [], failed, output: "", seconds: 1 });
  const failure = { title: "t", error: "e" };
  const failureIn = (file, title) => ({ title, error: "e", file });

  async function tries(part, ...results) {
    const { failed, flaky, seconds } = await runOnceOrTwice(part, {}, () => Promise.resolve(results.shift()));
    return { failed, flaky, seconds, left: results.length };
  }

  it("is given to a part that may flake, which is then called flaky", async () => {
    const found = await tries({ mayFlake: true }, result([failure]), result([]));
    assert.deepEqual(found, { failed: [], flaky: [failure], seconds: 2, left: 0 });
  });

  it("does not save a part that fails twice", async () => {
    const found = await tries({ mayFlake: true }, result([failure]), result([failure]));
    assert.deepEqual(found, { failed: [failure], flaky: [], seconds: 2, left: 0 });
  });

  async function filesOfTries(...results) {
    const ran = [];
    const { passed, failed, flaky } = await runOnceOrTwice({ mayFlake: true, files: ["a", "b"] }, {}, ({ files }) => {
      ran.push(files.join());
      return Promise.resolve(results.shift());
    });
    return { ran, passed, failed, flaky };
  }

  it("repeats only files with a failed test, and counts each test once", async () => {
    const [first, second] = [failureIn("b", "b fails first"), failureIn("b", "b fails second")];
    const found = await filesOfTries(result([first], ["a", "b fails second"]), result([second], ["b fails first"]));
    assert.deepEqual(found, { ran: ["a,b", "b"], passed: ["a", "b fails first"], failed: [second], flaky: [] });
  });

  it("repeats the whole part if it failed outside of its tests", async () => {
    const first = [failureIn("b", "b"), failure];
    const found = await filesOfTries(result(first, ["a"]), result([], ["a", "b"]));
    assert.deepEqual(found, { ran: ["a,b", "a,b"], passed: ["a", "b"], failed: [], flaky: first });
  });

  it("is not given to other parts", async () => {
    const found = await tries({ mayFlake: false }, result([failure]), result([]));
    assert.deepEqual(found, { failed: [failure], flaky: [], seconds: 1, left: 1 });
  });
});

describe("the progress of a run", () => {
  it("counts parts and estimates the end by what parts took last", () => {
    let time = 0;
    const parts = ["a", "b", "c"].map((name) => ({ name, seconds: 120 }));
    const progress = new Progress(parts, 2, { stream: { isTTY: false }, now: () => time });
    assert.equal(progress.line(), "0 parts done, 0 running, 3 left, about 3 min");
    progress.started(parts[0]);
    progress.started(parts[1]);
    time = 60_000;
    assert.equal(progress.line(), "0 parts done, 2 running, 1 left, about 2 min");
    progress.ended(parts[0]);
    assert.equal(progress.line(), "1 parts done, 1 running, 1 left, about 2 min");
  });
});
