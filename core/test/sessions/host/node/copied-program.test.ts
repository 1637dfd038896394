import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { productVersion } from "../../../../src/base/node/product-version.js";
import { bundleFolder, copyProgram, isCopiedProgram } from "../../../../src/sessions/host/node/copied-program.js";

describe("a copy of the program for another machine", () => {
  let root: string;
  let bundle: string;
  beforeEach(async function () {
    if (process.platform === "win32") this.skip();
    root = await realpath(await mkdtemp(join(tmpdir(), "symposium-copy-")));
    bundle = join(root, "bundle");
    await mkdir(join(bundle, "chunks"), { recursive: true });
    await writeFile(join(bundle, "symposium-acp-agent.cjs"), `require("./chunks/command.cjs");`);
    await writeFile(join(bundle, "chunks", "command.cjs"), `console.log("copied", ...process.argv.slice(2));`);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("replaces an earlier copy, and starts by its name", async () => {
    const home = join(root, "robin's home");
    const command = { command: "env", args: [`HOME=${home}`, process.execPath, "-"], env: {} };
    await copyProgram(command, bundle, "ssh:build");
    await writeFile(join(home, ".symposium", "versions", productVersion, "old"), "");
    await copyProgram(command, bundle, "ssh:build");
    const launcher = join(home, ".local", "bin", "symposium-acp-agent");
    assert.equal(execFileSync(launcher, ["host", "a b"], { encoding: "utf8" }), "copied host a b\n");
    const versions = join(home, ".symposium", "versions");
    assert.deepEqual((await readdir(join(versions, productVersion))).sort(), ["chunks", "symposium-acp-agent.cjs"]);
    assert.deepEqual(await readdir(versions), [productVersion]);
    assert.deepEqual(await readdir(join(home, ".local", "bin")), ["symposium-acp-agent"]);
  });

  it("fails with the other machine's reason", async () => {
    const command = { command: "sh", args: ["-c", "echo 'sh: node: not found' >&2; exit 127"], env: {} };
    await assert.rejects(copyProgram(command, bundle, "ssh:build"), {
      message: "Symposium couldn't be copied to ssh:build: sh: node: not found.",
    });
  });

  it("is made of a bundle only, and known by its place", () => {
    assert.equal(bundleFolder(join(bundle, "symposium-acp-agent.cjs")), bundle);
    assert.equal(bundleFolder(process.execPath), undefined);
    assert.equal(isCopiedProgram("/home/r/.symposium/versions/1.2.3/symposium-acp-agent.cjs"), true);
    assert.equal(isCopiedProgram("/usr/lib/node_modules/symposium-acp-agent/bin/symposium-acp-agent.cjs"), false);
  });
});
