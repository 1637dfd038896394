import { join } from "node:path";
import type { ExtensionContext } from "vscode";

/** Where a workspace's review is kept: a file of ours, there only while something is under review. */
export function reviewFile({ storageUri, globalStorageUri }: ExtensionContext): string {
  return join((storageUri ?? globalStorageUri).fsPath, "review.json");
}
