import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { gitDiff } from "../../../src/features/context/file-list.js";
import { commitAside, uncommitted } from "../../../src/features/worktrees/carried-changes.js";
import { changedSince, treeOf } from "../../../src/features/worktrees/worktree-changes.js";
import { TemporaryRepository } from "./temporary-repository.js";

describe("a repository inside of a worktree", function () {
  this.timeout(60_000);
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  /** A repository with a commit, whose own configuration names a filter that leaves a mark. */
  function innerRepository(shop: TemporaryRepository, name: string): { readonly seen: string; touch(): void } {
    const [folder, seen, filter] = [join(shop.top, name), join(shop.base, "seen"), join(shop.base, "filter")];
    shop.write(join(folder, "a"), "1\n");
    shop.runIn(folder, "init", "--quiet");
    shop.runIn(folder, "add", "a");
    shop.runIn(folder, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "x");
    shop.write(filter, `#!/bin/sh\n: > "${seen}"\ncat\n`);
    chmodSync(filter, 0o755);
    shop.runIn(folder, "config", "filter.mine.clean", `"${filter}"`);
    shop.write(join(folder, ".git/info/attributes"), "* filter=mine\n");
    return { seen, touch: () => utimesSync(join(folder, "a"), 1_000, 1_000) };
  }

  it("has none of its filters run, whatever is asked of the worktree", async () => {
    using shop = new TemporaryRepository({ file: "1\n" });
    const inner = innerRepository(shop, "lib");
    shop.run("add", "lib");
    shop.run("commit", "--quiet", "--message", "lib");
    inner.touch();
    shop.run("status");
    assert.ok(existsSync(inner.seen), "the trap works");
    for (const ask of [
      () => gitDiff(shop.top),
      () => uncommitted(shop.git, shop.top),
      () => treeOf(shop.git, shop.top),
    ]) {
      rmSync(inner.seen, { force: true });
      inner.touch();
      await ask();
      assert.equal(existsSync(inner.seen), false, String(ask));
    }
  });

  it("does not keep a change from being seen that came right after a commit", async () => {
    using shop = new TemporaryRepository({ file: "1\n" });
    shop.run("config", "core.trustctime", "false");
    const [file, index] = [join(shop.top, "file"), join(shop.top, ".git/index")];
    const second = Math.floor(statSync(file).mtimeMs / 1_000);
    shop.write(file, "2\n");
    for (const path of [file, index]) utimesSync(path, second, second);
    const tree = await treeOf(shop.git, shop.top);
    assert.equal(shop.run("cat-file", "blob", `${tree}:file`), "2");
  });

  it("is a repository also before its first commit", async () => {
    using shop = new TemporaryRepository({ file: "1\n" });
    for (const name of ["new", "folder/new"]) {
      shop.write(join(shop.top, name, "a"), "1\n");
      shop.runIn(join(shop.top, name), "init", "--quiet");
    }
    innerRepository(shop, "other");
    shop.write(join(shop.top, "file"), "2\n");
    const changed = await changedSince(shop.git, shop.top, shop.run("rev-parse", "HEAD"));
    assert.deepEqual(
      changed.map(({ path, kind, wasThere }) => [path, kind, wasThere]),
      [
        ["file", "file", true],
        ["folder/new", "submodule", false],
        ["new", "submodule", false],
        ["other", "submodule", false],
      ],
    );
    const aside = await commitAside(shop.git, shop.top);
    assert.equal(shop.run("cat-file", "blob", `${aside}:file`), "2");
  });

  it("leaves the tree that `git add --all` would make", async () => {
    using shop = new TemporaryRepository({
      ...{ same: "1\n", changed: "1\n", gone: "1\n", run: "1\n", "folder/now a file": "1\n" },
      ...{ "file now a folder": "1\n", "linked/x": "1\n", "new\nline": "1\n", ".gitignore": "ignored\n" },
    });
    innerRepository(shop, "lib");
    shop.run("add", "lib");
    shop.run("commit", "--quiet", "--message", "lib");
    for (const name of ["gone", "folder", "file now a folder", "linked"]) {
      rmSync(join(shop.top, name), { recursive: true });
    }
    mkdirSync(join(shop.base, "elsewhere"));
    shop.write(join(shop.base, "elsewhere/x"), "1\n");
    symlinkSync(join(shop.base, "elsewhere"), join(shop.top, "linked"));
    const texts = { changed: "2\n", folder: "2\n", "file now a folder/x": "2\n", "new\nline": "2\n", näu: "2\n" };
    for (const [name, text] of Object.entries({ ...texts, ignored: "2\n" })) shop.write(join(shop.top, name), text);
    chmodSync(join(shop.top, "run"), 0o755);
    shop.runIn(
      join(shop.top, "lib"),
      ...["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "--allow-empty", "-m", "y"],
    );
    innerRepository(shop, "other");
    const tree = await treeOf(shop.git, shop.top);
    shop.run("-c", "advice.addEmbeddedRepo=false", "add", "--all");
    assert.deepEqual(
      shop.run("ls-tree", "-r", tree).split("\n"),
      shop.run("ls-tree", "-r", shop.run("write-tree")).split("\n"),
    );
  });
});
