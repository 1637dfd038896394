import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileLists, OwnFiles } from "../../src/proxies/ide-operations/node/folder-files.js";
import { safeDiffOptions, safeGitEnvironment, safeGitOptions } from "../../src/node/safe-git.js";

describe("git in a repository whose configuration names programs", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });
  let folder: string;
  let marks: string;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "safe-git-")));
    marks = `${folder}-marks`;
    await mkdir(marks);
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd: folder });
    git("init", "--quiet");
    await writeFile(join(folder, "a.txt"), "1\n");
    await writeFile(join(folder, ".gitattributes"), "*.txt diff=mine\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    await writeFile(join(folder, "a.txt"), "2\n");
    // A file whose time alone is another makes git write its index, which has a hook.
    await utimes(join(folder, ".gitattributes"), 1_000, 1_000);
    const marking = async (name: string): Promise<string> => {
      const program = join(marks, `.${name}`);
      await writeFile(program, `#!/bin/sh\n: > '${join(marks, name)}'\ncat "$1" 2>/dev/null\nexit 0\n`);
      await chmod(program, 0o755);
      return program;
    };
    git("config", "core.fsmonitor", await marking("fsmonitor"));
    git("config", "diff.external", await marking("external"));
    git("config", "diff.mine.textconv", await marking("textconv"));
    git("config", "core.hooksPath", marks);
    await writeFile(join(marks, "post-index-change"), `#!/bin/sh\n: > '${join(marks, "hook")}'\n`);
    await chmod(join(marks, "post-index-change"), 0o755);
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(marks, { recursive: true, force: true });
  });

  const started = async (): Promise<readonly string[]> =>
    (await readdir(marks)).filter((name) => !name.startsWith(".") && name !== "post-index-change").sort();
  const run = (...args: readonly string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });

  it("starts them where nothing is said, which shows that the trap works", async () => {
    run("diff");
    run("diff", "--no-ext-diff");
    run("status");
    assert.deepEqual(await started(), ["external", "fsmonitor", "hook", "textconv"]);
  });

  it("starts none of them with the safe options", async () => {
    const env = safeGitEnvironment();
    const diff = execFileSync("git", [...safeGitOptions, "diff", ...safeDiffOptions], { cwd: folder, env });
    assert.match(diff.toString(), /^\+2$/m);
    execFileSync("git", [...safeGitOptions, "status"], { cwd: folder });
    assert.deepEqual(await started(), []);
  });

  it("starts none of them for a list of files or what is ignored", async () => {
    const { signal } = new AbortController();
    assert.ok((await new FileLists().list(folder, undefined, signal)).paths.length > 0);
    assert.equal((await new OwnFiles().among(folder, [join(folder, "a.txt")], signal)).size, 1);
    assert.deepEqual(await started(), []);
  });
});
