import { isThere } from "@symposium-dev/core/node";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ExtensionContext } from "vscode";

/** What windows of this workspace have in common with no other: there the reviews are kept. */
export function reviewStorage({ storageUri, globalStorageUri }: ExtensionContext): string {
  return (storageUri ?? globalStorageUri).fsPath;
}

/** Beside it, what a window that was killed during a turn leaves. */
export function openTurnsFile(file: string): string {
  return join(dirname(file), "open-turns.json");
}

/** Beside it, there while _Review all changes_ is on. */
export function allChangesFile(file: string): string {
  return join(dirname(file), "all-changes.json");
}

/** Beside it, conflicts that the merge of a worktree left. */
export function conflictsFile(file: string): string {
  return join(dirname(file), "conflicts.json");
}

/** Whether windows of the workspace left something to be taken up; also where one of them is open. */
export async function isReviewLeft(storage: string): Promise<boolean> {
  return (await Promise.all((await reviewFiles(storage)).map(isLeft))).includes(true);
}

/** Whether the window whose review's file this is left changes or conflicts to be answered, or was to review all changes. */
export async function isLeft(file: string): Promise<boolean> {
  const files = [file, openTurnsFile(file), conflictsFile(file), allChangesFile(file)];
  return (await Promise.all(files.map(isThere))).includes(true);
}

/**
 * Where windows of the workspace keep their reviews, each in a file that is there only while something is under review.
 * VS Code gives a second window a storage of its own, whose name ends with `-1`; windows without a folder share one, and so do
 * some remote ones.
 */
export async function reviewFiles(storage: string): Promise<readonly string[]> {
  const [workspaces, workspace] = [dirname(dirname(storage)), basename(dirname(storage))];
  const first = workspace.replace(/-[1-9]$/, "");
  const isSame = (name: string): boolean => name.startsWith(first) && /^(?:-[1-9])?$/.test(name.slice(first.length));
  // Beside the storage of windows without a folder is that of other extensions.
  const names = basename(workspaces) === "workspaceStorage" ? (await namesIn(workspaces)).filter(isSame) : [];
  const storages = new Set([storage, ...names.map((name) => join(workspaces, name, basename(storage)))]);
  const folders = await Promise.all(
    [...storages].map(async (one) => {
      const own = (await namesIn(one)).filter((name) => /^window-\d$/.test(name));
      return [one, ...own.map((name) => join(one, name))];
    }),
  );
  return folders.flat().map((folder) => join(folder, "review.json"));
}

function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

/** The commands of the review, without `symposium.review.`. They are registered before anything of the review is loaded. */
export const reviewCommandNames = [
  "keepHunk",
  "undoHunk",
  "keepFile",
  "undoFile",
  "keepAll",
  "undoAll",
  "openFile",
  "openAll",
  "nextHunk",
  "previousHunk",
  "toggleAll",
  "listFiles",
  "comment",
  "addComment",
  "sendComments",
  "editComment",
  "saveComment",
  "cancelComment",
  "deleteComment",
] as const;

export type ReviewCommandName = (typeof reviewCommandNames)[number];
