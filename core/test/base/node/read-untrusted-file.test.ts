import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readUntrustedFile } from "../../../src/base/node/read-untrusted-file.js";

describe("a file that somebody else may have made", () => {
  let folder = "";
  before(function () {
    // Windows has no pipes in folders.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "untrusted-"))));
  afterEach(() => rm(folder, { recursive: true }));
  const at = (name: string): string => join(folder, name);

  it("is read only if it is a regular file within the limit", async () => {
    await writeFile(at("file"), "äb");
    await symlink("file", at("link"));
    execFileSync("mkfifo", [at("pipe")]);
    assert.equal(readUntrustedFile(at("file"), { maxBytes: 3 }), "äb");
    for (const path of [at("link"), at("pipe"), folder, "/dev/zero"]) {
      assert.throws(() => readUntrustedFile(path, { maxBytes: 100 }), path);
    }
    assert.throws(() => readUntrustedFile(at("file"), { maxBytes: 2 }), /more than 2 bytes/);
  });

  it("does not keep the look for git's folders waiting, if it is a pipe", async () => {
    const paths = new URL("../../../src/guard/node/sandbox/machine-paths.js", import.meta.url);
    const modules = new URL("../../../src/guard/node/sandbox/submodules.js", import.meta.url);
    execFileSync("mkfifo", [at(".git")]);
    await mkdir(at("module"));
    execFileSync("mkfifo", [at("module/config")]);
    const script = `const { gitFolderOf } = await import(${JSON.stringify(paths.href)});
const { gitLinkOf } = await import(${JSON.stringify(modules.href)});
console.log(gitFolderOf(process.argv[1]), gitLinkOf(process.argv[1] + "/module"));`;
    const words = ["--input-type=module", "-e", script, folder];
    // A process of its own: a read that waits would stop this one.
    assert.equal(execFileSync(process.execPath, words, { encoding: "utf8", timeout: 20_000 }), "undefined undefined\n");
  });
});
