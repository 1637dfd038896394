import { dirname, join } from "node:path";
import type { ExtensionContext } from "vscode";

/** Where a workspace's review is kept: a file of ours, there only while something is under review. */
export function reviewFile({ storageUri, globalStorageUri }: ExtensionContext): string {
  return join((storageUri ?? globalStorageUri).fsPath, "review.json");
}

/** Beside it, what a window that was killed during a turn leaves. */
export function openTurnsFile(file: string): string {
  return join(dirname(file), "open-turns.json");
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
] as const;

export type ReviewCommandName = (typeof reviewCommandNames)[number];
