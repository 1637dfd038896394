import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { gitDiff, listFiles } from "../../../src/features/context/file-list.js";
import { GitWork } from "../../../src/features/review/files/changes-by-git.js";
import { gitFacts } from "../../../src/features/snapshots/git-facts.js";

describe("a program of the workspace that is named git", function () {
  this.timeout(60_000);
  let folder = "";
  const usual = process.env["PATH"];
  afterEach(() => {
    process.env["PATH"] = usual;
    rmSync(folder, { recursive: true, force: true });
  });

  it("is not run for lists of files, changes, snapshots and what git has changed, though PATH has its folder", async function () {
    if (process.platform === "win32") this.skip();
    folder = realpathSync(mkdtempSync(join(tmpdir(), "planted-")));
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd: folder });
    const [bin, seen] = [join(folder, "node_modules", ".bin"), join(folder, ".git", "seen")];
    git("init", "--quiet");
    writeFileSync(join(folder, ".gitignore"), "node_modules\nkept\n");
    for (const name of ["a", "kept"]) writeFileSync(join(folder, name), "1\n");
    git("add", "--force", "a", "kept", ".gitignore");
    git("commit", "--quiet", "-m", "x");
    git("checkout", "--quiet", "-b", "other");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "git"), `#!/bin/sh\n: > '${seen}'\nexit 1\n`);
    chmodSync(join(bin, "git"), 0o755);
    process.env["PATH"] = [bin, "node_modules/.bin", usual].join(delimiter);

    assert.deepEqual((await listFiles(folder, 10)).files.toSorted(), [".gitignore", "a", "kept"]);
    assert.equal(await gitDiff(folder), "");
    assert.deepEqual((await gitFacts(folder)).more, ["kept"]);
    const writers = await new GitWork(
      () => true,
      () => [folder],
    ).writers([join(folder, "a")], 0);
    assert.equal(writers.size, 1);
    assert.equal(existsSync(seen), false);
  });

  it("runs no filter of a repository below the folders of the window when it asks what git has changed", async function () {
    if (process.platform === "win32") this.skip();
    folder = realpathSync(mkdtempSync(join(tmpdir(), "planted-")));
    const [below, seen] = [join(folder, "below"), join(folder, "seen")];
    mkdirSync(below);
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd: below });
    git("init", "--quiet");
    for (const name of ["a", "b", "c.txt"]) writeFileSync(join(below, name), "1\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "x");
    git("checkout", "--quiet", "-b", "other");
    // As core.autocrlf leaves it.
    writeFileSync(join(below, "c.txt"), "1\r\n");
    writeFileSync(join(below, ".gitattributes"), "* filter=x\n");
    git("config", "filter.x.clean", `touch '${seen}'; cat`);
    writeFileSync(join(below, "a"), "2\n");
    const opened = (roots: readonly string[]): GitWork =>
      new GitWork(
        () => true,
        () => roots,
      );
    const paths = ["a", "b", "c.txt", ".gitattributes"].map((name) => join(below, name));
    const writers = await opened([folder]).writers(paths, 0);
    assert.deepEqual([...writers.keys()], [join(below, "b"), join(below, "c.txt")]);
    assert.equal(existsSync(seen), false);
    // The user has opened that repository itself.
    await opened([below]).writers([join(below, "a")], 0);
    assert.equal(existsSync(seen), true);
  });
});
