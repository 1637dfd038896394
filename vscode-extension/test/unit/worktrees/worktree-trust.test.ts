import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { repositoryOf } from "../../../src/features/worktrees/repository.js";
import { UserGit } from "../../../src/features/worktrees/user-git.js";
import { Worktrees } from "../../../src/features/worktrees/worktrees.js";
import { TemporaryRepository } from "./temporary-repository.js";

const wish = { words: "tax", isCarried: false };
const files = { "cart.ts": "one\n", "packages/app/index.ts": "two\n" };

describe("the trust in a tab's worktree", function () {
  this.timeout(120_000);
  let shop: TemporaryRepository;
  let root: string;
  const partsOf = (folder: string, ...trusted: readonly string[]): Promise<readonly string[]> =>
    shop.worktrees.trustedParts({ root: folder }, trusted.length > 0 ? trusted : [shop.top]);

  beforeEach(async () => {
    shop = new TemporaryRepository(files);
    root = (await shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish)).root;
  });
  afterEach(() => shop[Symbol.dispose]());

  it("is that in its repository", async () => {
    assert.deepEqual(await partsOf(root), [root]);
    assert.deepEqual(await partsOf(root, shop.base, join(shop.base, "gone")), []);
  });

  it("reaches no further than that in the repository does", async () => {
    const folder = join(shop.top, "packages", "app");
    assert.deepEqual(await partsOf(root, folder), [join(root, "packages", "app")]);
    rmSync(join(root, "packages", "app"), { recursive: true });
    assert.deepEqual(await partsOf(root, folder), []);
    mkdirSync(join(shop.base, "evil"));
    symlinkSync(join(shop.base, "evil"), join(root, "packages", "app"));
    assert.deepEqual(await partsOf(root, folder), []);
  });

  it("is none while the window is not trusted", async () => {
    const restricted = new UserGit(
      () => [shop.top],
      () => false,
    );
    const worktrees = new Worktrees(restricted, () => [shop.top], join(shop.base, "ours"));
    assert.deepEqual(await worktrees.trustedParts({ root }, [shop.top]), []);
  });

  it("does not come from a file .git that names the repository, or the worktree of somebody else", async () => {
    const planted = join(shop.base, "planted");
    shop.write(join(planted, ".git"), shop.read(join(root, ".git")));
    const named = shop.read(join(root, ".git")).replace(/tax\s*$/, "planted\n");
    const other = join(shop.base, "other");
    shop.write(join(other, ".git"), named);
    const byHand = join(shop.base, "by-hand");
    shop.run("worktree", "add", "--quiet", byHand);
    assert.deepEqual(await Promise.all([planted, other, byHand].map((folder) => partsOf(folder))), [[], [], []]);
  });

  it("does not come by a link, of the folder or of its file .git", async () => {
    const link = join(shop.base, "link");
    symlinkSync(root, link);
    assert.deepEqual(await partsOf(link), []);
    renameSync(join(root, ".git"), join(shop.base, "git-file"));
    symlinkSync(join(shop.base, "git-file"), join(root, ".git"));
    assert.deepEqual(await partsOf(root), []);
  });

  it("does not come from another repository's trust", async () => {
    using toys = new TemporaryRepository(files);
    assert.deepEqual(await partsOf(root, toys.top), []);
    const made = await toys.worktrees.make(await repositoryOf(toys.git, toys.top), wish);
    assert.deepEqual(await partsOf(made.root), []);
    // The main tree is nobody's worktree.
    assert.deepEqual(await partsOf(shop.top, root), []);
  });

  it("ends when another folder takes its place, though with the same file .git", async () => {
    const away = join(shop.base, "away");
    renameSync(root, away);
    assert.deepEqual(await partsOf(root), []);
    mkdirSync(root);
    cpSync(join(away, ".git"), join(root, ".git"));
    shop.write(join(root, "cart.ts"), "evil\n");
    assert.equal(existsSync(join(root, ".git")), true);
    assert.deepEqual(await partsOf(root), []);
    rmSync(root, { recursive: true });
    symlinkSync(away, root);
    assert.deepEqual(await partsOf(root), []);
    rmSync(root);
    renameSync(away, root);
    assert.deepEqual(await partsOf(root), [root]);
  });
});
