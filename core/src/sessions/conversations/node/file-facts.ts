import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import type { FileNow } from "../hand-off-sections.js";
import type { TouchedFile } from "../stored-record.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

/** Maximum size in bytes of a file that is hashed. */
const largestFile = 8 * 1024 * 1024;

/** Returns the current state of a turn's files; `paths` may be relative to the session's folder. */
export async function touchedFiles(paths: readonly string[], cwd: string): Promise<readonly TouchedFile[]> {
  const files: TouchedFile[] = [];
  for (const path of paths) {
    const absolute = isAbsolute(path) ? path : resolve(cwd, path);
    const sha256 = await hashOf(absolute).catch(() => undefined);
    files.push({ path: absolute, ...(sha256 !== undefined && { sha256 }) });
  }
  return files;
}

/** Returns the current state of files by absolute path; skips network paths. */
export async function filesNow(paths: readonly string[]): Promise<ReadonlyMap<string, FileNow>> {
  const files = new Map<string, FileNow>();
  for (const path of paths) {
    if (networkPath.test(path) || !isAbsolute(path)) continue;
    const exists = await stat(path).then(
      () => true,
      () => false,
    );
    files.set(path, { exists, sha256: await hashOf(path).catch(() => undefined) });
  }
  return files;
}

/** Reading a network path could block and would reveal the user's identity. */
const networkPath = /^[\\/]{2}/;

async function hashOf(file: string): Promise<string | undefined> {
  if (networkPath.test(file)) return undefined;
  const { size, isFile } = await stat(file).then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
  if (!isFile || size > largestFile) return undefined;
  const hash = createHash("sha256");
  // Limit reading to the file's size: a file can contain more, because it grows or because it reports size 0 as in /proc.
  const stream = size === 0 ? [] : createReadStream(file, { end: size - 1 });
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Returns the branch checked out in the repository of `folder`, without running git; undefined outside a repository. */
export async function gitBranch(folder: string): Promise<string | undefined> {
  for (const place of foldersUp(folder)) {
    const git = join(place, ".git");
    const stats = await stat(git).catch(() => undefined);
    if (!stats) continue;
    const text = await loadUntrustedText(git).catch(() => "");
    const linked = /^gitdir: (.+)$/m.exec(text)?.[1];
    const head = join(linked === undefined ? git : resolve(place, linked), "HEAD");
    return /^ref: refs\/heads\/(.+)$/m.exec(await loadUntrustedText(head).catch(() => ""))?.[1];
  }
  return undefined;
}
