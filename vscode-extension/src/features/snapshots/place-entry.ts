import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { TreeEntry } from "./tree.js";

/** Puts a file, with its mode, or a link where it belongs, or takes it away. Whoever looks sees the old or the new one. */
export function placeEntry(
  root: string,
  path: string,
  entry: TreeEntry | "absent",
  content: Uint8Array | undefined,
): void {
  const file = join(root, path);
  if (entry === "absent") {
    rmSync(file, { force: true });
    removeEmptyFolders(root, dirname(path));
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    if (entry.kind === "link") symlinkSync(entry.target, temporary);
    else {
      writeFileSync(temporary, content ?? "", { flag: "wx", mode: entry.mode });
      // Whatever the umask says.
      chmodSync(temporary, entry.mode);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A folder is there with its files. */
function removeEmptyFolders(root: string, from: string): void {
  for (let folder = from; folder !== "." && folder !== ""; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder));
    } catch {
      return;
    }
  }
}
