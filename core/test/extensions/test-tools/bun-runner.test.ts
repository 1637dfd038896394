import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { testServices } from "../../../src/extensions/test-tools/node.js";
import { runnersOf, type TestRunner } from "../../../src/extensions/test-tools/test-runner.js";

type Files = Readonly<Record<string, string>>;

describe("projects whose tests bun runs", () => {
  const watchdog = new Watchdog();
  after(() => watchdog[Symbol.dispose]());

  async function runnersIn(files: Files): Promise<readonly TestRunner[]> {
    const folder = await mkdtemp(join(tmpdir(), "symposium-bun-"));
    try {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      await using services = testServices({ watchdog, reporters: {} });
      return (await services.projects(folder, () => true)).flatMap(runnersOf);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async function namesIn(files: Files): Promise<readonly string[]> {
    return (await runnersIn(files)).map(({ name, isGuess }) => (isGuess === true ? `${name}, a guess` : name));
  }

  const manifest = (test?: string): Files => ({ "package.json": JSON.stringify({ scripts: test ? { test } : {} }) });

  it("have a test script that says so, without or with a lock", async () => {
    assert.deepEqual(await namesIn(manifest("bun test --bail=1")), ["bun"]);
    assert.deepEqual(await namesIn({ ...manifest("bun test"), "bun.lock": "{}" }), ["bun"]);
  });

  it("have its lock or configuration, and no test script", async () => {
    assert.deepEqual(await namesIn({ ...manifest(), "bun.lock": "{}" }), ["bun, a guess"]);
    assert.deepEqual(await namesIn({ ...manifest(), "bun.lockb": "" }), ["bun, a guess"]);
    assert.deepEqual(await namesIn({ "bunfig.toml": "[test]\n" }), ["bun, a guess"]);
  });

  it("are not those with another test script, or with nothing of bun's", async () => {
    assert.deepEqual(await namesIn({ ...manifest("make test"), "bun.lock": "{}" }), ["script"]);
    assert.deepEqual(await namesIn(manifest()), []);
  });

  it("are run with the words of the script, but for what keeps it from ending or writes in other words", async () => {
    const [runner] = await runnersIn(manifest("TZ=UTC bun test --watch --dots --timeout 200 src"));
    const all = runner?.command({ paths: [] }, "/reporters", "/events");
    assert.deepEqual([all?.command, all?.args, all?.env], ["bun", ["test", "--timeout", "200", "src"], { TZ: "UTC" }]);
    const some = runner?.command({ paths: ["/w/a.test.ts", "b.test.ts"], filter: "is (2" }, "/reporters", "/events");
    const words = ["test", "--timeout", "200", "--test-name-pattern", "is \\(2", "/w/a.test.ts", "./b.test.ts"];
    assert.deepEqual(some?.args, words);
  });
});
