import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { keepCompiledCode } from "../../src/node/kept-code.js";

describe("keepCompiledCode", () => {
  let home = "";
  let calls: string[] = [];
  const node = {
    builtinModules: [],
    enableCompileCache: (folder: string) => void calls.push(folder),
    flushCompileCache: () => void calls.push("flushed"),
  };
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "symposium-kept-code-"));
    calls = [];
    mock.timers.enable({ apis: ["setTimeout"] });
  });
  afterEach(async () => {
    mock.timers.reset();
    await rm(home, { recursive: true });
  });

  it("keeps it in a place for each subcommand, and writes it once a start has compiled what it needs", async () => {
    const folder = join(home, ".symposium");
    await mkdir(folder);
    keepCompiledCode(folder, "run", node);
    const place = join(folder, "compile-cache", "run");
    assert.deepEqual(calls, [place]);
    mock.timers.tick(60_000);
    assert.deepEqual(calls, [place, "flushed"]);
  });

  it("forgets what is a month old, of whichever subcommand and version", async () => {
    const version = join(home, "compile-cache", "run", "v20.0.0");
    await mkdir(version, { recursive: true });
    await writeFile(join(version, "old"), "");
    await writeFile(join(version, "new"), "");
    const longAgo = Date.now() / 1_000 - 31 * 24 * 60 * 60;
    await utimes(join(version, "old"), longAgo, longAgo);
    keepCompiledCode(home, "zed", node);
    mock.timers.tick(60_000);
    while (existsSync(join(version, "old"))) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await readdir(version), ["new"]);
  });

  it("makes no folder of the product where there is none", async () => {
    keepCompiledCode(join(home, ".symposium"), "run", node);
    mock.timers.tick(60_000);
    assert.deepEqual([calls, await readdir(home)], [[], []]);
  });

  it("does nothing with a Node that keeps no code", () => {
    keepCompiledCode(home, "run", { builtinModules: [] });
    mock.timers.tick(60_000);
    assert.deepEqual(calls, []);
  });
});
