import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { SymposiumError } from "../symposium-error.js";

/** Maximum length of a socket's folder path. Socket paths are limited to about 100 bytes; 30 are reserved for the slash and name. */
const maxFolderBytes = 70;
/** Maximum length of the temporary folder's path, in bytes; leaves room for subfolders. */
const maxTemporaryBytes = 25;

/** Whether sockets with names up to 29 bytes fit into a folder. */
export function fitsSockets(folder: string): boolean {
  return Buffer.byteLength(folder) <= maxFolderBytes;
}

/**
 * Creates a private folder for sockets whose own folder has a long path. No sandbox may access this whole folder. Throws if another user
 * owns the folder.
 */
export function socketFolder(): string {
  const parent = Buffer.byteLength(tmpdir()) <= maxTemporaryBytes ? tmpdir() : "/tmp";
  const folder = join(parent, `symposium-${userInfo().uid}`);
  makePrivateFolder(folder);
  return folder;
}

/** Creates a user-only folder. Throws if another user owns it or can write to it. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === "win32") return;
  const stats = lstatSync(folder);
  if (stats.isDirectory() && stats.uid === userInfo().uid && (stats.mode & 0o022) === 0) return;
  throw new SymposiumError(
    "ide-operation-failed",
    `${folder} isn't a folder that only you can write to.`,
    "Remove it, or set SYMPOSIUM_CONFIG_DIR to another folder.",
  );
}
