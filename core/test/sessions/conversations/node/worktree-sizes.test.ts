import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorktreeSizes } from "../../../../src/sessions/conversations/node/worktree-sizes.js";

describe("the sizes of conversations' worktrees", () => {
  it("are those of linked worktrees, not of main worktrees and submodules", async () => {
    const root = await mkdtemp(join(tmpdir(), "worktrees-"));
    try {
      const link = "gitdir: /repo/.git/worktrees/fix\n";
      await mkdir(join(root, "fix", "src"), { recursive: true });
      await writeFile(join(root, "fix", ".git"), link);
      await writeFile(join(root, "fix", "src", "a.txt"), "12345");
      await mkdir(join(root, "main", ".git"), { recursive: true });
      await mkdir(join(root, "module"));
      await writeFile(join(root, "module", ".git"), "gitdir: ../.git/modules/module\n");
      const folders = [join(root, "fix", "src"), join(root, "main"), join(root, "module"), join(root, "gone")];
      const sizes = new WorktreeSizes();
      assert.equal(sizes.of(join(root, "fix", "src")), undefined);
      await sizes.measure(folders);
      const measured = { name: "fix", bytes: link.length + 5 };
      assert.deepEqual(
        folders.map((folder) => sizes.of(folder)),
        [measured, undefined, undefined, undefined],
      );
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
