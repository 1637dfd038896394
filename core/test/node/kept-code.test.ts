import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
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
