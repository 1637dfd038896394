import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { fileUri, type InitializedAgent, type Members, pathOfFileUri } from "@symposium-dev/core";
import { loadUntrustedBytes, loadUntrustedText } from "@symposium-dev/core/node";
import type { Attachment } from "../../../protocol/index.js";
import { attachmentTitle } from "../../acp/attachment-title.js";
import { lineRangeLabel } from "./context-search.js";

export interface ContentSource {
  unsavedText(uri: string): string | undefined;
  /** Returns the problems in all files or one file, one per line; empty if there are none. */
  problems(uri?: string): string;
  changes(): Promise<string | undefined>;
}

type Accepts = InitializedAgent["accepts"];

/** Maximum size of an embedded text. A longer text is only linked, so that the agent reads the parts it needs. */
const maxEmbeddedBytes = 100_000;
const maxImageBytes = 10_000_000;
const imageTypes: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
};

/** Converts attachments to ACP content that the agent accepts. Content that can't be read or sent becomes an explanatory sentence. */
export async function toContentBlocks(
  attachments: readonly Attachment[],
  accepts: Accepts,
  source: ContentSource,
): Promise<Members[]> {
  return Promise.all(attachments.map((attachment) => toBlock(attachment, accepts, source)));
}

async function toBlock(attachment: Attachment, accepts: Accepts, source: ContentSource): Promise<Members> {
  const { label } = attachment;
  const title = attachmentTitle(attachment);
  switch (attachment.type) {
    case "file":
      return fileBlock(attachment.uri, label, accepts, source);
    case "folder":
      return { type: "resource_link", uri: attachment.uri, name: label };
    case "symbol": {
      const text = await textOf(attachment.uri, source);
      if (text === undefined) return missing(label);
      const lines = text.split("\n").slice(attachment.startLine - 1, attachment.endLine);
      return excerpt(attachment, lines.join("\n"), accepts);
    }
    case "selection":
      return excerpt(attachment, attachment.text, accepts);
    case "problems": {
      const problems = source.problems(attachment.uri);
      return titled(title, problems === "" ? "There are none." : problems);
    }
    case "terminal":
    case "text":
      return titled(title, fencedText(attachment.text));
    case "git-diff": {
      const changes = await source.changes();
      if (changes === undefined) return titled(title, "The workspace isn't a Git repository.");
      return titled(title, changes === "" ? "There are none." : fencedText(changes, "diff"));
    }
    case "image":
      return imageBlock(label, attachment.mimeType, attachment.data, accepts);
  }
}

async function fileBlock(uri: string, name: string, accepts: Accepts, source: ContentSource): Promise<Members> {
  const unsaved = source.unsavedText(uri);
  if (unsaved !== undefined) {
    return accepts.embeddedContext
      ? { type: "resource", resource: { uri, text: unsaved } }
      : titled(name, fencedText(unsaved));
  }
  const path = pathOfFileUri(uri);
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || !found) return missing(name);
  const link = { type: "resource_link", uri, name, size: found.size };
  const mimeType = imageTypes[extname(path).toLowerCase()];
  if (mimeType !== undefined && accepts.image) {
    const image = await loadUntrustedBytes(path, maxImageBytes).catch(() => undefined);
    if (image) return { type: "image", mimeType, data: image.toString("base64"), uri };
  }
  if (!accepts.embeddedContext) return link;
  const bytes = await loadUntrustedBytes(path, maxEmbeddedBytes).catch(() => undefined);
  // A NUL byte marks a binary file, as in Git.
  if (!bytes || bytes.includes(0)) return link;
  return { type: "resource", resource: { uri, text: bytes.toString("utf8") } };
}

async function textOf(uri: string, source: ContentSource): Promise<string | undefined> {
  const unsaved = source.unsavedText(uri);
  if (unsaved !== undefined) return unsaved;
  const path = pathOfFileUri(uri);
  return path === undefined ? undefined : loadUntrustedText(path).catch(() => undefined);
}

type Excerpt = Extract<Attachment, { type: "symbol" | "selection" }>;

/** Embeds lines of a file. The URI's fragment names the lines, as in links to code. */
function excerpt({ uri, startLine, endLine }: Excerpt, text: string, accepts: Accepts): Members {
  const path = pathOfFileUri(uri) ?? uri;
  const place = `${path}:${lineRangeLabel(startLine, endLine)}`;
  if (!accepts.embeddedContext) return titled(place, fencedText(text, extname(path).slice(1)));
  const fragment = startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
  return { type: "resource", resource: { uri: `${uri}#${fragment}`, text } };
}

function imageBlock(label: string, mimeType: string, data: string, accepts: Accepts): Members {
  if (!accepts.image) return sentence(`The image "${label}" was not sent: this agent doesn't accept images.`);
  if (data.length * 0.75 > maxImageBytes) return sentence(`The image "${label}" was not sent: it is too large.`);
  return { type: "image", mimeType, data };
}

function missing(name: string): Members {
  return sentence(`"${basename(name)}" was attached but can no longer be read.`);
}

function titled(title: string, text: string): Members {
  return { type: "text", text: `${title}:\n${text}` };
}

function sentence(text: string): Members {
  return { type: "text", text: `[${text}]` };
}

function fencedText(text: string, language = ""): string {
  return fencedCode(text.replace(/\n$/, ""), language);
}

/** Returns a code block whose fence is longer than any backtick run in the text. */
export function fencedCode(text: string, language = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns attachments for URIs dropped on the chat or chosen in the explorer. Skips missing files. */
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

/** In a remote window, the page uses `vscode-remote:` URIs for files that are local to the extension host. */
function localPath(uri: string): string | undefined {
  const remote = /^vscode-remote:\/\/[^/]*(\/.*)$/.exec(uri);
  return pathOfFileUri(remote ? `file://${remote[1] ?? ""}` : uri);
}
