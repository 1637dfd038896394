import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { outerEnvironment, outerPath } from "../../../src/base/node/search-path-outside-project.js";
import { FolderFiles, OwnFiles } from "../../../src/extensions/ide-operations/node/folder-files.js";
import { safeDiffOptions, safeGit, safeGitOptions } from "../../../src/base/node/safe-git.js";

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
    const { program = "", env } = safeGit([folder]) ?? {};
    const diff = execFileSync(program, [...safeGitOptions, "diff", ...safeDiffOptions], { cwd: folder, env });
    assert.match(diff.toString(), /^\+2$/m);
    execFileSync("git", [...safeGitOptions, "status"], { cwd: folder });
    assert.deepEqual(await started(), []);
  });

  it("starts none of them for a list of files or what is ignored", async () => {
    const { signal } = new AbortController();
    assert.ok((await new FolderFiles().list(folder, undefined, signal)).paths.length > 0);
    assert.equal((await new OwnFiles().among(folder, [join(folder, "a.txt")], signal)).size, 1);
    assert.deepEqual(await started(), []);
  });
});

describe("git, and other programs that are started by their names,", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });
  let base: string;
  let folder: string;
  let started: string;
  const usual = process.env["PATH"];

  /** A program in the project that leaves a mark. */
  const plant = async (path: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `#!/bin/sh\n: > '${started}'\nexit 1\n`);
    await chmod(path, 0o755);
  };

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "planted-git-")));
    folder = join(base, "project", "package");
    started = join(base, "started");
    await mkdir(folder, { recursive: true });
    execFileSync("git", ["init", "--quiet"], { cwd: dirname(folder) });
    await writeFile(join(folder, "a.txt"), "1\n");
    const planted = ["bin", "node_modules/.bin", "../.direnv/bin"].map((name) => join(folder, name));
    for (const one of planted) await plant(join(one, "git"));
    await symlink(planted[0] ?? "", join(base, "tools"));
    process.env["PATH"] = [...planted, join(base, "tools"), "bin", "", ".", usual].join(":");
  });
  afterEach(async () => {
    process.env["PATH"] = usual;
    await rm(base, { recursive: true, force: true });
  });

  it("would be those of the project, which shows that the trap works", () => {
    assert.throws(() => execFileSync("git", ["status"], { cwd: folder, stdio: "ignore" }));
    assert.ok(existsSync(started));
  });

  it("are never those of the project, where files are listed or asked about", async () => {
    const { signal } = new AbortController();
    assert.ok((await new FolderFiles().list(folder, undefined, signal)).paths.includes(join(folder, "a.txt")));
    assert.equal((await new OwnFiles().among(folder, [join(folder, "a.txt")], signal)).size, 1);
    const { program = "", env } = safeGit([folder]) ?? {};
    assert.equal(env?.["PATH"], usual);
    assert.ok(!program.startsWith(base));
    assert.equal(existsSync(started), false);
  });

  it("are the system's where PATH has nothing else", () => {
    const env = outerEnvironment({ PATH: `${folder}/bin:bin`, OTHER: "x" }, [folder]);
    assert.deepEqual(env, { PATH: "/usr/bin:/bin", OTHER: "x" });
  });

  it("are the user's own where the folder holds the user's whole one", () => {
    const path = `/usr/bin:${homedir()}/bin`;
    for (const root of ["/", homedir()]) assert.equal(outerPath(path, [root]), path);
  });
});
