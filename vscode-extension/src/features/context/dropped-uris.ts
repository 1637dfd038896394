import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileUri, pathOfFileUri } from "@symposium-dev/core";
import type { Attachment } from "../../../protocol/index.js";

/** Attachments for URIs that were dropped on the chat or chosen in the explorer; what is not there is left out. */
export async function droppedAttachments(uris: readonly string[]): Promise<Attachment[]> {
  const found = await Promise.all(uris.map(attachmentOf));
  return found.filter((attachment) => attachment !== undefined);
}

async function attachmentOf(uri: string): Promise<Attachment | undefined> {
  const path = localPath(uri);
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || !found) return undefined;
  return { type: found.isDirectory() ? "folder" : "file", uri: fileUri(path), label: basename(path) };
}

/** In a remote window the page names files of the remote machine, which is ours, by its own scheme. */
function localPath(uri: string): string | undefined {
  const remote = /^vscode-remote:\/\/[^/]*(\/.*)$/.exec(uri);
  return pathOfFileUri(remote ? `file://${remote[1] ?? ""}` : uri);
}
