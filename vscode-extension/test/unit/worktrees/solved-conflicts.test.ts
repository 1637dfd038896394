import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isSolved, isStanding, treeState } from "../../../src/features/worktrees/solved-conflicts.js";
import { TemporaryRepository } from "./temporary-repository.js";

describe("a conflict of a merge", function () {
  this.timeout(120_000);
  const ours = "one\nmine\nthree\n";
  let shop: TemporaryRepository;
  let path: string;
  const found = async () => ({
    ...{ path, start: 1, ours: "mine\n", theirs: "theirs\n", isWhole: false, found: ours },
    foundAt: await treeState(shop.git, shop.top),
  });

  beforeEach(() => {
    shop = new TemporaryRepository({ "cart.ts": ours, "other.ts": "1\n" });
    path = join(shop.top, "cart.ts");
  });
  afterEach(() => shop[Symbol.dispose]());

  it("is solved once other lines in its place are committed on its branch, and not before", async () => {
    const conflict = await found();
    assert.deepEqual([await isStanding(conflict), await isSolved(shop.git, conflict)], [true, false]);
    shop.commit({ "other.ts": "2\n" });
    assert.equal(await isSolved(shop.git, conflict), false);
    shop.write(path, "one\nboth\nthree\n");
    assert.deepEqual([await isStanding(conflict), await isSolved(shop.git, conflict)], [false, false]);
    shop.run("commit", "--quiet", "--all", "--message", "solved");
    assert.equal(await isSolved(shop.git, conflict), true);
    // More edits in the same place leave the conflict solved, but that isn't certain until they are committed.
    shop.write(path, "one\nboth again\nthree\n");
    assert.equal(await isSolved(shop.git, conflict), false);
  });

  it("is not solved by a commit that leaves its lines, or an earlier one", async () => {
    shop.commit({ "cart.ts": "one\nearlier\nthree\n" });
    shop.commit({ "cart.ts": ours });
    const conflict = await found();
    shop.commit({ "cart.ts": `zero\n${ours}four\n` });
    assert.deepEqual([await isStanding(conflict), await isSolved(shop.git, conflict)], [true, false]);
    shop.run("reset", "--quiet", "--hard", "HEAD~2");
    assert.deepEqual([await isStanding(conflict), await isSolved(shop.git, conflict)], [false, false]);
  });

  it("is not solved by the file of another branch, of no branch, or while its own is put aside", async () => {
    const conflict = await found();
    shop.run("checkout", "--quiet", "-b", "other");
    shop.commit({ "cart.ts": "another\n" });
    assert.equal(await isSolved(shop.git, conflict), false);
    shop.run("checkout", "--quiet", "--detach");
    assert.equal(await isSolved(shop.git, conflict), false);
    shop.run("checkout", "--quiet", "main");
    shop.commit({ "cart.ts": "one\nHEAD's\nthree\n" });
    shop.write(path, ours);
    const uncommitted = await found();
    shop.run("stash", "--quiet");
    assert.deepEqual([await isStanding(uncommitted), await isSolved(shop.git, uncommitted)], [false, false]);
    shop.run("stash", "pop", "--quiet");
    assert.equal(await isStanding(uncommitted), true);
  });

  it("about a file that is gone is solved where the file is committed again", async () => {
    shop.run("rm", "--quiet", "cart.ts");
    shop.run("commit", "--quiet", "--message", "gone");
    const conflict = { ...(await found()), start: 0, ours: null, isWhole: true, found: "" };
    assert.deepEqual([await isStanding(conflict), await isSolved(shop.git, conflict)], [true, false]);
    shop.commit({ "cart.ts": "both\n" });
    assert.deepEqual([await isStanding(conflict), await isSolved(shop.git, conflict)], [false, true]);
  });

  it("is not solved as long as Git itself has a conflict in the file", async () => {
    const conflict = await found();
    shop.run("checkout", "--quiet", "-b", "other");
    shop.commit({ "cart.ts": "one\nanother\nthree\n" });
    shop.run("checkout", "--quiet", "main");
    shop.commit({ "cart.ts": "one\nboth\nthree\n" });
    assert.throws(() => shop.run("merge", "--quiet", "other"));
    assert.equal(await isSolved(shop.git, conflict), false);
    shop.run("merge", "--abort");
    assert.equal(await isSolved(shop.git, conflict), true);
    rmSync(path);
    assert.equal(await isSolved(shop.git, conflict), false);
  });
});
