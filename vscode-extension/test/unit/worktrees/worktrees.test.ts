import assert from "node:assert/strict";
import { chmodSync, existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, statSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { uncommitted } from "../../../src/features/worktrees/carried-changes.js";
import { repositoryOf } from "../../../src/features/worktrees/repository.js";
import { UserGit } from "../../../src/features/worktrees/user-git.js";
import { Worktrees } from "../../../src/features/worktrees/worktrees.js";
import { TemporaryRepository } from "./temporary-repository.js";

const wish = { words: "Fix the tax!", isCarried: false };

describe("the worktrees of tabs", function () {
  // Each starts Git a dozen times.
  this.timeout(120_000);
  const opened: TemporaryRepository[] = [];
  const repository = (files: Readonly<Record<string, string>> = { "cart.ts": "one\ntwo\n" }): TemporaryRepository => {
    const made = new TemporaryRepository(files);
    opened.push(made);
    return made;
  };
  afterEach(() => {
    for (const one of opened.splice(0)) one[Symbol.dispose]();
  });

  it("are made beside the repository on a branch of their own, from what is committed, and listed", async () => {
    const shop = repository();
    shop.write(join(shop.top, "cart.ts"), "not committed\n");
    const made = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    const root = join(shop.base, "shop.worktrees", "fix-the-tax");
    assert.deepEqual(made, { name: "fix-the-tax", root, branch: "symposium/fix-the-tax", notes: [] });
    assert.equal(shop.read(join(root, "cart.ts")), "one\ntwo\n");
    assert.equal(shop.runIn(root, "branch", "--show-current"), "symposium/fix-the-tax");
    const { name, branch } = made;
    assert.deepEqual(await shop.worktrees.list(shop.top), [{ name, root, branch, isMissing: false }]);
    assert.equal(shop.run("status", "--porcelain"), "M cart.ts");
  });

  it("get another name where a branch or a folder has it", async () => {
    const shop = repository();
    shop.run("branch", "symposium/fix-the-tax");
    mkdirSync(join(shop.base, "shop.worktrees", "fix-the-tax-2"), { recursive: true });
    const { name } = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    assert.equal(name, "fix-the-tax-3");
  });

  it("lie in a folder of ours where the place beside the repository is open in the window", async () => {
    const shop = repository();
    const worktrees = new Worktrees(shop.git, () => [shop.base], join(shop.base, "ours"));
    const { root } = await worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    assert.match(root, /[\\/]ours[\\/]shop-[a-z0-9]+[\\/]fix-the-tax$/);
  });

  it("carry over what is not committed, byte for byte, and tell it from the agent's changes", async () => {
    const shop = repository({
      "cart.ts": "one\ntwo\n",
      "gone.ts": "gone\n",
      ".gitignore": "secret\n",
      "run.sh": "run\n",
    });
    shop.write(join(shop.top, "cart.ts"), "one\r\nzwei\n");
    shop.write(join(shop.top, "new/added.ts"), "added\n");
    shop.write(join(shop.top, "secret"), "secret\n");
    rmSync(join(shop.top, "gone.ts"));
    chmodSync(join(shop.top, "run.sh"), 0o755);
    symlinkSync("cart.ts", join(shop.top, "link"));
    assert.deepEqual([...(await uncommitted(shop.git, shop.top))].sort(), [
      "cart.ts",
      "gone.ts",
      "link",
      "new/added.ts",
      "run.sh",
    ]);
    const { root } = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), { ...wish, isCarried: true });
    assert.equal(shop.read(join(root, "cart.ts")), "one\r\nzwei\n");
    assert.equal(shop.read(join(root, "new/added.ts")), "added\n");
    assert.equal(readlinkSync(join(root, "link")), "cart.ts");
    assert.equal(statSync(join(root, "run.sh")).mode & 0o777, 0o755);
    assert.deepEqual([existsSync(join(root, "gone.ts")), existsSync(join(root, "secret"))], [false, false]);
    assert.deepEqual(await shop.worktrees.changes(shop.top, { root }), []);
    assert.equal(shop.runIn(root, "rev-list", "--count", "HEAD"), "1");
    shop.write(join(root, "cart.ts"), "one\r\nzwei\nthree\n");
    assert.deepEqual(await shop.worktrees.changes(shop.top, { root }), [
      { path: "cart.ts", kind: "file", wasThere: true },
    ]);
  });

  it("tell what the set-up command did from the agent's changes", async () => {
    const shop = repository();
    const { root } = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    shop.write(join(root, "cart.ts"), "one\ntwo\nset up\n");
    shop.write(join(root, "generated.ts"), "generated\n");
    await shop.worktrees.setUp({ root });
    assert.deepEqual(await shop.worktrees.changes(shop.top, { root }), []);
    assert.deepEqual(await shop.worktrees.carried({ root }), []);
    shop.write(join(root, "cart.ts"), "one\nzwei\nset up\n");
    assert.deepEqual(await shop.worktrees.counts(shop.top, { root }), [{ path: "cart.ts", added: 1, removed: 1 }]);
  });

  it("carry over what stands in the place of a link, and write nothing through the link", async function () {
    if (process.platform === "win32") this.skip();
    const shop = repository();
    const elsewhere = join(shop.base, "elsewhere");
    shop.write(join(elsewhere, "mine.txt"), "mine\n");
    symlinkSync(elsewhere, join(shop.top, "notes"));
    shop.commit({});
    rmSync(join(shop.top, "notes"));
    shop.write(join(shop.top, "notes/mine.txt"), "of the project\n");
    const repo = await repositoryOf(shop.git, shop.top);
    const { root, notes } = await shop.worktrees.make(repo, { ...wish, isCarried: true });
    assert.equal(shop.read(join(elsewhere, "mine.txt")), "mine\n");
    assert.equal(shop.read(join(root, "notes/mine.txt")), "of the project\n");
    assert.deepEqual([lstatSync(join(root, "notes")).isDirectory(), notes], [true, []]);
  });

  it("get names of their own where two windows make them at once, and one that fails takes none away", async () => {
    const shop = repository();
    const repo = await repositoryOf(shop.git, shop.top);
    const results = await Promise.allSettled([1, 2, 3].map(() => shop.worktrees.make(repo, wish)));
    // Git itself may stumble over a worktree that it is making for somebody else.
    const made = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    assert.notEqual(made.length, 0);
    assert.equal(new Set(made.map(({ name }) => name)).size, made.length);
    for (const { root } of made) assert.equal(shop.read(join(root, "cart.ts")), "one\ntwo\n");
    const branches = shop.run("branch", "--list", "--format=%(refname:short)", "symposium/*").split("\n");
    assert.deepEqual(branches.sort(), made.map(({ branch }) => branch).sort());
  });

  it("have no Git started for them in Restricted Mode", async () => {
    const shop = repository();
    const git = new UserGit(
      () => [],
      () => false,
    );
    await assert.rejects(repositoryOf(git, shop.top), { hint: /Trust the workspace/ });
  });

  it("tell what changed in them whether it is committed or not, with what is no text of its own kind", async () => {
    const shop = repository({ "a.ts": "a\n", "b.ts": "b\n", "c.ts": "c\n", "d.ts": "d\n" });
    const { root } = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    shop.commit({ "a.ts": "committed\n", "new.ts": "new\n" }, root);
    shop.write(join(root, "b.ts"), "not committed\n");
    chmodSync(join(root, "c.ts"), 0o755);
    shop.write(join(root, "d.ts"), "can be run, too\n");
    chmodSync(join(root, "d.ts"), 0o755);
    symlinkSync("a.ts", join(root, "link"));
    assert.deepEqual(await shop.worktrees.changes(shop.top, { root }), [
      { path: "a.ts", kind: "file", wasThere: true },
      { path: "b.ts", kind: "file", wasThere: true },
      { path: "c.ts", kind: "mode", wasThere: true },
      { path: "d.ts", kind: "file", wasThere: true, canRun: true },
      { path: "link", kind: "link", wasThere: false },
      { path: "new.ts", kind: "file", wasThere: false },
    ]);
    shop.write(join(root, "image"), "\0");
    assert.deepEqual(await shop.worktrees.counts(shop.top, { root }), [
      { path: "a.ts", added: 1, removed: 1 },
      { path: "b.ts", added: 1, removed: 1 },
      { path: "c.ts", added: 0, removed: 0 },
      { path: "d.ts", added: 1, removed: 1 },
      { path: "image" },
      { path: "link", added: 1, removed: 0 },
      { path: "new.ts", added: 1, removed: 0 },
    ]);
    assert.equal(await shop.worktrees.ownCommits(shop.top, "symposium/fix-the-tax"), 1);
    shop.run("merge", "--quiet", "--ff-only", "symposium/fix-the-tax");
    assert.equal(await shop.worktrees.ownCommits(shop.top, "symposium/fix-the-tax"), 0);
  });

  it("are removed with what is in them, and the branch only if the user says so", async () => {
    const shop = repository();
    const repo = await repositoryOf(shop.git, shop.top);
    const [first, second] = [await shop.worktrees.make(repo, wish), await shop.worktrees.make(repo, wish)];
    shop.write(join(first.root, "cart.ts"), "not committed\n");
    await shop.worktrees.remove(shop.top, first, false);
    await shop.worktrees.remove(shop.top, second, true);
    assert.equal(existsSync(join(shop.base, "shop.worktrees")), false);
    assert.deepEqual(await shop.worktrees.list(shop.top), []);
    assert.equal(shop.run("branch", "--list", "symposium/*"), first.branch);
  });

  it("are known as gone when somebody removed the folder, and can be forgotten", async () => {
    const shop = repository();
    const { name, root, branch } = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    rmSync(root, { recursive: true });
    assert.deepEqual(await shop.worktrees.list(shop.top), [{ name, root, branch, isMissing: true }]);
    await shop.worktrees.remove(shop.top, { name, root, branch }, true);
    assert.deepEqual(await shop.worktrees.list(shop.top), []);
    assert.equal(shop.run("branch", "--list", "symposium/*"), "");
  });

  it("begin in the folder of the window where that is a part of the repository", async () => {
    const shop = repository({ "packages/web/a.ts": "a\n" });
    const found = await repositoryOf(shop.git, join(shop.top, "packages", "web"));
    assert.deepEqual(found, { top: shop.top, prefix: "packages/web/", head: shop.run("rev-parse", "HEAD") });
  });

  it("say what submodules and large files lack in them", async () => {
    const shop = repository({ ".gitattributes": "*.bin filter=lfs\n", ".gitmodules": "" });
    shop.commit({ ".gitmodules": '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n' });
    const { notes } = await shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    assert.deepEqual(
      notes.map((note) => /`(.*?)`/.exec(note)?.[1]),
      ["git submodule update --init", "git lfs pull"],
    );
  });

  it("are refused with the remedy in a folder without a repository, without a commit and without Git", async () => {
    const shop = new TemporaryRepository();
    opened.push(shop);
    await assert.rejects(repositoryOf(shop.git, shop.base), { hint: /git init/ });
    await assert.rejects(repositoryOf(shop.git, shop.top), { message: /no commits yet/, hint: /Make a first commit/ });
    const without = new UserGit(
      () => [],
      () => true,
      { PATH: shop.base },
    );
    await assert.rejects(repositoryOf(without, shop.top), { hint: /Install Git/ });
  });

  it("leave nothing behind where they cannot be made", async () => {
    const shop = repository();
    shop.commit({ ".gitattributes": "*.ts filter=broken\n" });
    shop.run("config", "filter.broken.smudge", "false");
    shop.run("config", "filter.broken.required", "true");
    const made = shop.worktrees.make(await repositoryOf(shop.git, shop.top), wish);
    await assert.rejects(made, { message: /Couldn't create a worktree/, hint: /filter/ });
    assert.equal(existsSync(join(shop.base, "shop.worktrees")), false);
    assert.equal(shop.run("branch", "--list", "symposium/*"), "");
  });

  it("are never made by a program of the workspace, nor is a hook of the repository started", async function () {
    if (process.platform === "win32") this.skip();
    const shop = repository();
    const seen = join(shop.base, "seen");
    for (const program of [join(shop.top, "bin/git"), join(shop.top, ".git/hooks/post-checkout")]) {
      shop.write(program, `#!/bin/sh\necho ran > "${seen}"\nexit 1\n`);
      chmodSync(program, 0o755);
    }
    symlinkSync(join(shop.top, "bin"), join(shop.base, "tools"));
    const path = [join(shop.base, "tools"), join(shop.top, "bin"), "bin", process.env["PATH"]].join(delimiter);
    const git = new UserGit(
      () => [shop.top],
      () => true,
      { ...process.env, PATH: path },
    );
    const { root } = await new Worktrees(git, () => [shop.top], shop.base).make(
      await repositoryOf(git, shop.top),
      wish,
    );
    assert.deepEqual([existsSync(seen), lstatSync(root).isDirectory()], [false, true]);
  });
});
