import { join } from "node:path";
import type { ExtensionContext } from "vscode";

/** Where a workspace's review is kept: a file of ours, there only while something is under review. */
export function reviewFile({ storageUri, globalStorageUri }: ExtensionContext): string {
  return join((storageUri ?? globalStorageUri).fsPath, "review.json");
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
  "restoreCheckpoint",
] as const;

export type ReviewCommandName = (typeof reviewCommandNames)[number];
