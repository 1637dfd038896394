import { realpathSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../../base/node/folders.js";
import { loadUntrustedText, RefusedFile } from "../../base/node/read-untrusted-file.js";

/** A file's text, or a phrase that says why the file wasn't read. */
type TextFile =
  | { readonly path: string; readonly text: string; readonly problem?: undefined }
  | { readonly path: string; readonly text?: undefined; readonly problem: string };

const maxFileBytes = 256 * 1024;

/**
 * Reads a small text file; returns undefined if the file doesn't exist. The result's `path` is a real path. `within` must be a real path;
 * links that lead out of it aren't followed. Never rejects.
 */
export async function readTextFile(path: string, within?: string): Promise<TextFile | undefined> {
  let real: string;
  try {
    real = await realpath(path);
  } catch {
    return undefined;
  }
  const leadsOut = { path, problem: "a link leads outside the project" };
  const isWithin = (place: string): boolean => within === undefined || isInside(place, within);
  if (!isWithin(real)) return leadsOut;
  try {
    // The file's path is checked again after the file was opened, since an agent could replace a parent folder with a link.
    const isAllowed = (opened: string): boolean => isWithin(realpathSync(opened));
    const text = await loadUntrustedText(real, { maxBytes: maxFileBytes, isAllowed });
    return text.includes("\0") ? { path, problem: "it is no text" } : { path: real, text: text.replace(/^\uFEFF/, "") };
  } catch (error) {
    switch (error instanceof RefusedFile ? error.refusal : undefined) {
      case "folder":
        return undefined;
      case "special":
        return { path, problem: "it is no file" };
      case "long":
        return { path, problem: `it is larger than ${maxFileBytes} bytes` };
      case "forbidden":
        return leadsOut;
      case undefined:
        return { path, problem: "it cannot be read" };
    }
  }
}

interface ListLimits {
  readonly depth: number;
  readonly folders: number;
}

/**
 * Lists the files below a folder that `isWanted` accepts, as sorted relative paths with `/`. Skips linked folders, `.git` and
 * `node_modules`. Never rejects.
 */
export async function listFiles(
  folder: string,
  isWanted: (path: string) => boolean,
  limits: ListLimits = { depth: 5, folders: 2_000 },
): Promise<readonly string[]> {
  const found: string[] = [];
  let foldersLeft = limits.folders;
  const visit = async (below: string, depth: number): Promise<void> => {
    if (foldersLeft-- <= 0) return;
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
    const folders: string[] = [];
    for (const entry of entries) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        if (depth > 1 && entry.name !== ".git" && entry.name !== "node_modules") folders.push(path);
      } else if (isWanted(path)) found.push(path);
    }
    await Promise.all(folders.map((path) => visit(path, depth - 1)));
  };
  await visit("", limits.depth);
  return found.sort();
}
