import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";

describe("a rule for sessions in one folder", () => {
  let [home, elsewhere] = ["", ""];
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "rules-in-")));
    elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "rules-in-")));
    mkdirSync(join(home, "config"));
    mkdirSync(join(home, "project/part"), { recursive: true });
    writeFileSync(join(home, "project/part/a"), "");
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first");
    for (const name of ["tree", "second"]) git("worktree", "add", "-q", join(elsewhere, name));
  });
  afterEach(() => [home, elsewhere].forEach((folder) => rmSync(folder, { recursive: true })));

  function git(...words: readonly string[]): void {
    execFileSync("git", ["-C", join(home, "project"), ...words], { stdio: "ignore" });
  }

  /** The effects of the rules that hold for a session in `cwd`, of one each that are in `folder`. */
  async function holding(folder: string, cwd: string): Promise<string> {
    const rules = ["deny", "ask", "allow"].map((effect) => ({ effect, command: "make", in: folder }));
    writeFileSync(join(home, "config/guard.jsonc"), JSON.stringify({ rules }));
    const { rules: found } = await new GuardFiles(join(home, "config"), home).rulesFor(resolve(home, cwd));
    return found.map(({ effect }) => effect).join(" ");
  }

  it("holds there and below, and nowhere else", async () => {
    const project = join(home, "project");
    assert.deepEqual(
      [
        await holding(project, "project"),
        await holding("~/project", "project/part"),
        await holding(project, "config"),
        await holding(join(home, "config"), "project"),
      ],
      ["deny ask allow", "deny ask allow", "", ""],
    );
  });

  it("tightens in a worktree of the repository, too, and allows nothing there", async () => {
    symlinkSync("project", join(home, "link"));
    const [tree, second] = [join(elsewhere, "tree"), join(elsewhere, "second")];
    assert.deepEqual(
      [
        await holding(join(home, "project"), tree),
        await holding("~/project", join(tree, "part")),
        await holding(join(home, "link"), tree),
        await holding(join(home, "project/part"), join(tree, "part")),
        await holding(home, tree),
        await holding(tree, second),
      ],
      Array(6).fill("deny ask"),
    );
  });

  it("does not hold in a worktree outside of its part, in the main one for a linked one, or in one that only says that it is one", async () => {
    const tree = join(elsewhere, "tree");
    mkdirSync(join(elsewhere, "false"));
    writeFileSync(join(elsewhere, "false/.git"), `gitdir: ${join(home, "project/.git/worktrees/tree")}\n`);
    assert.deepEqual(
      [
        await holding(join(home, "project/part"), tree),
        await holding(tree, "project"),
        await holding(join(home, "project"), join(elsewhere, "false")),
      ],
      ["", "", ""],
    );
  });
});
