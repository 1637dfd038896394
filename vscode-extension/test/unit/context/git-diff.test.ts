import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitDiff } from "../../../src/features/context/file-list.js";

describe("the changes of a folder", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "diff-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd: folder });

  it("are the diff to the last commit and the names of new files", async () => {
    git("init", "--quiet");
    await writeFile(join(folder, "a"), "1\n");
    git("add", "a");
    git("commit", "--quiet", "-m", "x");
    assert.equal(await gitDiff(folder), "");
    await writeFile(join(folder, "a"), "2\n");
    await writeFile(join(folder, "new"), "");
    const lines = (await gitDiff(folder))?.split("\n").filter((line) => !/^(index|---|\+\+\+) /.test(line));
    assert.deepEqual(lines, [
      "diff --git a/a b/a",
      "@@ -1 +1 @@",
      "-1",
      "+2",
      "",
      "New files that Git does not track yet:",
      "new",
      "",
    ]);
  });

  it("are there before the first commit too", async () => {
    git("init", "--quiet");
    await writeFile(join(folder, "a"), "1\n");
    git("add", "a");
    assert.match((await gitDiff(folder)) ?? "", /^\+1$/m);
  });

  it("are found without starting what the repository's configuration names", async () => {
    const mark = join(folder, ".git", "started");
    git("init", "--quiet");
    await writeFile(join(folder, "a"), "1\n");
    git("add", "a");
    git("commit", "--quiet", "-m", "x");
    await writeFile(join(folder, "a"), "2\n");
    for (const name of ["core.fsmonitor", "diff.external"]) git("config", name, `touch '${mark}'; false`);
    assert.match((await gitDiff(folder)) ?? "", /^\+2$/m);
    await assert.rejects(access(mark));
  });

  it("are not known outside Git", async () => {
    assert.equal(await gitDiff(folder), undefined);
  });
});
