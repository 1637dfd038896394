import type { Stats } from "node:fs";
import { chmod, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ReviewBook } from "../review/review-book.js";
import type { PlannedRestore } from "../review/review-answers.js";
import type { ChangedPath } from "./worktree-changes.js";

interface MergedFiles {
  readonly files: readonly PlannedRestore[];
  readonly changes: readonly ChangedPath[];
  readonly top: string;
  readonly root: string;
  readonly tabId: string;
}

const permissionBits = 0o777;
const executable = 0o111;

export async function takeModes(
  { files, changes, top, root, tabId }: MergedFiles,
  book: Pick<ReviewBook, "attributesChanged">,
): Promise<void> {
  const changed = new Map(changes.map(({ path, canRun }) => [join(top, path), canRun]));
  for (const { path, now, text } of files) {
    const own = await stat(path).catch(() => undefined);
    if (!own || text === null) continue;
    const canRun = now === null ? await canBeRun(join(root, relative(top, path))) : changed.get(path);
    const before = own.mode & permissionBits;
    const after = modeOf(before, canRun);
    if (after === before) continue;
    const changedAtMs = await chmod(path, after).then(
      async () => (await stat(path)).ctimeMs,
      () => undefined,
    );
    if (changedAtMs !== undefined && now !== null)
      book.attributesChanged(tabId, path, text, { before: { mode: before }, after: { mode: after }, changedAtMs });
  }
}

/** Returns the mode with execute permission for everyone who can read the file, or without any if `canRun` is false. */
function modeOf(mode: number, canRun: boolean | undefined): number {
  if (canRun === undefined || canRun === ((mode & executable) !== 0)) return mode;
  return canRun ? mode | ((mode & 0o444) >> 2) : mode & ~executable;
}

/** Returns true for an executable file, otherwise undefined, so that the execute permission is never removed. */
async function canBeRun(file: string): Promise<true | undefined> {
  const found: Stats | undefined = await stat(file).catch(() => undefined);
  return found && (found.mode & executable) !== 0 ? true : undefined;
}
