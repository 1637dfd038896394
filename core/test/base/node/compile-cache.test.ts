import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { keepCompiledCode, packageFolders, removeOldFiles } from "../../../src/base/node/compile-cache.js";

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
    keepCompiledCode([folder], "run", node);
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
    keepCompiledCode([home], "zed", node);
    mock.timers.tick(60_000);
    while (existsSync(join(version, "old"))) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await readdir(version), ["new"]);
  });

  it("makes no folder of the product where there is none", async () => {
    keepCompiledCode([join(home, ".symposium")], "run", node);
    mock.timers.tick(60_000);
    assert.deepEqual([calls, await readdir(home)], [[], []]);
  });

  it("keeps it in the package that npm has installed where the product has no folder", async () => {
    const folder = join(await realpath(home), "node_modules", "symposium-acp-agent");
    await mkdir(join(folder, "bin"), { recursive: true });
    await mkdir(join(home, "node_modules", ".bin"));
    await writeFile(join(folder, "bin", "program.cjs"), "");
    const link = join(home, "node_modules", ".bin", "symposium-acp-agent");
    await symlink(join(folder, "bin", "program.cjs"), link);
    assert.deepEqual([...packageFolders(link)], [folder]);
    keepCompiledCode([join(home, ".symposium"), ...packageFolders(link)], "run", node);
    assert.deepEqual(calls, [join(folder, "compile-cache", "run")]);
  });

  it("knows no package of a program that npm has not installed", async () => {
    await writeFile(join(home, "program.cjs"), "");
    const scripts = [join(home, "program.cjs"), join(home, "missing.cjs"), undefined];
    assert.deepEqual(
      scripts.map((script) => [...packageFolders(script)]),
      [[], [], []],
    );
  });

  it("does nothing with a Node that keeps no code", () => {
    keepCompiledCode([home], "run", { builtinModules: [] });
    mock.timers.tick(60_000);
    assert.deepEqual(calls, []);
  });
});

describe("removeOldFiles", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-old-files-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(file: string, agedSeconds: number): Promise<void> {
    await writeFile(join(folder, file), "");
    const time = Date.now() / 1_000 - agedSeconds;
    await utimes(join(folder, file), time, time);
  }

  it("removes what nobody has written for so long, in every folder below, and nothing else", async () => {
    await mkdir(join(folder, "a", "b"), { recursive: true });
    await write("a/old", 120);
    await write("a/young", 30);
    await write("a/b/old", 120);
    await removeOldFiles(folder, 60_000);
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), ["a", join("a", "b"), join("a", "young")]);
  });

  it("leaves a folder that is not there as it is", async () => {
    await removeOldFiles(join(folder, "absent"), 0);
    assert.deepEqual(await readdir(folder), []);
  });
});
