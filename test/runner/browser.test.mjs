import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const finder = fileURLToPath(new URL("../../scripts/test/browser.mjs", import.meta.url));

describe("the browser of the tests", function () {
  this.timeout(60_000);
  let folder;
  beforeEach(async function () {
    if (process.platform === "win32") {
      this.currentTest.title += " (the stand-ins are shell scripts)";
      this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), "browser-"));
  });
  afterEach(() => folder && rm(folder, { recursive: true, force: true }));

  async function program(name, text) {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
    return path;
  }

  /** What is found in an environment without a registry, whose PATH has the folder and Node alone. */
  function find(env = {}) {
    const { stdout, stderr } = spawnSync(process.execPath, [finder], {
      encoding: "utf8",
      env: {
        ...{ PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder },
        ...{ SYMPOSIUM_TEST_CACHE: folder, npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" },
        ...env,
      },
    });
    assert.notEqual(stdout, "", stderr);
    return JSON.parse(stdout);
  }

  it("is the one that SYMPOSIUM_CHROMIUM names", async () => {
    const path = await program("mine", "echo Chromium 150.0.1");
    assert.deepEqual(find({ SYMPOSIUM_CHROMIUM: path }), { program: path });
  });

  it("is none when the one that SYMPOSIUM_CHROMIUM names does not run", async () => {
    const path = await program("mine", "exit 1");
    const missing = `SYMPOSIUM_CHROMIUM names "${path}", which does not run`;
    assert.deepEqual(find({ SYMPOSIUM_CHROMIUM: path }), { missing });
  });

  it("is the first on PATH that runs", async () => {
    await program("chromium", "echo Install it with snap >&2; exit 1");
    const path = await program("google-chrome", "echo Google Chrome 150.0.1");
    assert.deepEqual(find(), { program: path });
  });

  it("is looked for once in a run", () => {
    assert.deepEqual(find({ SYMPOSIUM_NO_CHROMIUM: "no network" }), { missing: "no network" });
  });
});
