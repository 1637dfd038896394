import { isThere } from "@symposium-dev/core/node";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ExtensionContext } from "vscode";

export function reviewStorage({ storageUri, globalStorageUri }: ExtensionContext): string {
  return (storageUri ?? globalStorageUri).fsPath;
}

export function openTurnsFile(file: string): string {
  return join(dirname(file), "open-turns.json");
}

export function allChangesFile(file: string): string {
  return join(dirname(file), "all-changes.json");
}

export function conflictsFile(file: string): string {
  return join(dirname(file), "conflicts.json");
}

/** Returns whether a window of the workspace has stored review state, even if that window is still open. */
export async function isReviewLeft(storage: string): Promise<boolean> {
  return (await Promise.all((await reviewFiles(storage)).map(isLeft))).includes(true);
}

/** Returns whether a window left state to restore: changes, interrupted turns, conflicts or an active _Review all changes_. */
export async function isLeft(file: string): Promise<boolean> {
  const files = [file, openTurnsFile(file), conflictsFile(file), allChangesFile(file)];
  return (await Promise.all(files.map(isThere))).includes(true);
}

/**
 * Returns the paths of possible review files of the workspace's windows; a file exists only while something is under review. VS Code gives
 * a second window its own storage, named with `-1` at the end; windows without a folder, and some remote windows, share a storage.
 */
export async function reviewFiles(storage: string): Promise<readonly string[]> {
  const [workspaces, workspace] = [dirname(dirname(storage)), basename(dirname(storage))];
  const first = workspace.replace(/-[1-9]$/, "");
  const isSame = (name: string): boolean => name.startsWith(first) && /^(?:-[1-9])?$/.test(name.slice(first.length));
  // A window without a folder uses the global storage, whose neighbors belong to other extensions, so don't search there.
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

/** Review commands without the prefix `symposium.review.`. They are registered before the review is loaded. */
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
