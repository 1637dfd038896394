import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { FileTruth } from "../../../src/features/review/files/compare-and-write-contract.js";
import { openMerge } from "../../../src/features/worktrees/merge-sides.js";
import { repositoryOf } from "../../../src/features/worktrees/repository.js";
import { type Loss, lossOf } from "../../../src/features/worktrees/worktree-loss.js";
import { TemporaryRepository } from "./temporary-repository.js";

const nothing: Loss = { files: [], ignored: [], commits: 0 };

describe("what is lost with a worktree", function () {
  // Each starts Git a dozen times.
  this.timeout(120_000);
  const opened: TemporaryRepository[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one[Symbol.dispose]();
  });

  async function begun(files: Readonly<Record<string, string>>, uncommitted: Readonly<Record<string, string>> = {}) {
    const shop = new TemporaryRepository(files);
    opened.push(shop);
    for (const [path, text] of Object.entries(uncommitted)) shop.write(join(shop.top, path), text);
    const made = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), { words: "task", isCarried: true });
    const disk = (path: string): Promise<FileTruth> =>
      Promise.resolve({ text: existsSync(path) ? readFileSync(path, "utf8") : null, isTorn: false });
    const loss = async (truth = disk): Promise<Loss> => {
      await using merge = await openMerge({ git: shop.git, worktrees: shop.worktrees, truth }, shop.top, made);
      return await lossOf(shop.worktrees, shop.top, made, merge);
    };
    return { shop, made, loss, disk };
  }

  it("is nothing where the main tree has all of it", async () => {
    const { shop, made, loss } = await begun({ "cart.ts": "one\n" }, { "cart.ts": "two\n", "new.ts": "new\n" });
    assert.deepEqual(await loss(), nothing);
    shop.write(join(made.root, "cart.ts"), "three\n");
    assert.deepEqual(await loss(), { ...nothing, files: ["cart.ts"] });
    shop.write(join(shop.top, "cart.ts"), "three\n");
    assert.deepEqual(await loss(), nothing);
  });

  it("has what was copied over, once the main tree was put back", async () => {
    const { shop, loss } = await begun({ "cart.ts": "one\n" }, { "cart.ts": "two\n", "new.ts": "new\n" });
    shop.run("checkout", "--quiet", "--", ".");
    assert.deepEqual(await loss(), { ...nothing, files: ["cart.ts"] });
    shop.run("clean", "--force", "--quiet");
    assert.deepEqual(await loss(), { ...nothing, files: ["cart.ts", "new.ts"] });
  });

  it("has what Git ignores, but for what the main tree has, too", async () => {
    const { shop, made, loss } = await begun({ ".gitignore": "modules/\n.env*\nnotes\nsocket\n" });
    for (const top of [shop.top, made.root]) shop.write(join(top, ".env"), "KEY=same\n");
    for (const [top, text] of [
      [shop.top, "main"],
      [made.root, "own"],
    ] as const) {
      shop.write(join(top, "modules/package.js"), text);
      shop.write(join(top, ".env.local"), `KEY=${text.padEnd(4)}\n`);
    }
    mkdirSync(join(made.root, "notes"));
    shop.write(join(made.root, "notes/mine.txt"), "mine\n");
    symlinkSync("nowhere", join(made.root, "socket"));
    assert.deepEqual(await loss(), { ...nothing, ignored: [".env.local", "notes/", "socket"] });
  });

  it("has a byte order mark, and that a file can be run, which texts do not tell", async () => {
    const { shop, made, loss, disk } = await begun({ "cart.ts": "one\n", "run.sh": "one\n" });
    const texts = async (path: string): Promise<FileTruth> => {
      const truth = await disk(path);
      return { ...truth, text: truth.text?.replace("\ufeff", "") ?? null };
    };
    shop.write(join(made.root, "cart.ts"), "\ufeffone\n");
    for (const top of [shop.top, made.root]) shop.write(join(top, "run.sh"), "two\n");
    chmodSync(join(made.root, "run.sh"), 0o755);
    assert.deepEqual(await loss(texts), { ...nothing, files: ["cart.ts", "run.sh"] });
    shop.write(join(shop.top, "cart.ts"), "\ufeffone\n");
    chmodSync(join(shop.top, "run.sh"), 0o755);
    assert.deepEqual(await loss(texts), nothing);
  });

  it("has a changed file that is too large to be read", async () => {
    const { shop, made, loss, disk } = await begun({ "data.bin": "small\n" });
    shop.write(join(made.root, "data.bin"), "large\n");
    const unread = (path: string): Promise<FileTruth> =>
      path.endsWith("data.bin") ? Promise.resolve({ text: undefined, isTorn: false }) : disk(path);
    assert.deepEqual(await loss(unread), { ...nothing, files: ["data.bin"] });
  });

  it("has commits that are in no other branch, and none of a branch that is gone", async () => {
    const { shop, made, loss } = await begun({ "cart.ts": "one\n" });
    shop.commit({ "cart.ts": "two\n" }, made.root);
    shop.write(join(shop.top, "cart.ts"), "two\n");
    assert.deepEqual(await loss(), { ...nothing, commits: 1 });
    shop.run("checkout", "--quiet", "--orphan", "fresh");
    // Rejects instead of returning 0 if the commits can't be counted.
    await assert.rejects(shop.worktrees.ownCommits(shop.top, made.branch));
    shop.runIn(made.root, "checkout", "--quiet", "-b", "other");
    shop.runIn(made.root, "branch", "-D", made.branch);
    assert.equal(await shop.worktrees.ownCommits(shop.top, made.branch), 0);
    await shop.worktrees.remove(shop.top, made, true);
    assert.equal(existsSync(made.root), false);
  });
});
