import { basename, join } from "node:path";
import { lstat } from "node:fs/promises";
import { folderBytes, foldersUp } from "../../../base/node/folders.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

interface MeasuredWorktree {
  readonly name: string;
  readonly bytes: number;
}

/** Sizes of the linked Git worktrees of conversations. Measures each worktree once, because this looks at every file. */
export class WorktreeSizes {
  readonly #rootOf = new Map<string, string | undefined>();
  readonly #measured = new Map<string, MeasuredWorktree>();

  /** Measures the worktrees of conversations in `folders`, one after another. */
  async measure(folders: Iterable<string>): Promise<void> {
    for (const folder of new Set(folders)) {
      if (this.#rootOf.has(folder)) continue;
      const root = await linkedWorktree(folder);
      this.#rootOf.set(folder, root);
      if (root === undefined || this.#measured.has(root)) continue;
      this.#measured.set(root, { name: basename(root), bytes: await folderBytes(root) });
    }
  }

  /** Returns the worktree that contains `folder`; undefined if there is none or it isn't measured yet. */
  of(folder: string): MeasuredWorktree | undefined {
    return this.#measured.get(this.#rootOf.get(folder) ?? "");
  }
}

/** Returns the top folder of the linked worktree that contains `folder`; undefined in a main worktree, a submodule or outside of Git. */
async function linkedWorktree(folder: string): Promise<string | undefined> {
  for (const root of foldersUp(folder)) {
    const path = join(root, ".git");
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) continue;
    const link = stats.isFile() ? await loadUntrustedText(path).catch(() => "") : "";
    return /^gitdir:.*[\\/]worktrees[\\/][^\\/]+\s*$/.test(link) ? root : undefined;
  }
  return undefined;
}
