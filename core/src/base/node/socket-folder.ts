import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { SymposiumError } from "../symposium-error.js";

/** Systems allow the path of a socket about a hundred bytes; thirty of them are for its name and the slash. */
const maxFolderBytes = 70;
/** So that folders fit below it, too. */
const maxTemporaryBytes = 25;

/** Whether sockets whose names have up to 29 bytes can be in a folder. */
export function fitsSockets(folder: string): boolean {
  return Buffer.byteLength(folder) <= maxFolderBytes;
}

/** A folder of this user's alone for sockets whose own folder has too long a path, open to no sandbox as a whole. It is made where it is missing; throws where it is somebody else's. */
export function socketFolder(): string {
  const parent = Buffer.byteLength(tmpdir()) <= maxTemporaryBytes ? tmpdir() : "/tmp";
  const folder = join(parent, `symposium-${userInfo().uid}`);
  makePrivateFolder(folder);
  return folder;
}

/** Makes a folder for the user only, and refuses one that somebody else made there, or may write to. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === "win32") return;
  const stats = lstatSync(folder);
  if (stats.isDirectory() && stats.uid === userInfo().uid && (stats.mode & 0o022) === 0) return;
  throw new SymposiumError(
    "ide-operation-failed",
    `${folder} is no folder that only you can write to.`,
    "Remove it, or set SYMPOSIUM_CONFIG_DIR to another folder.",
  );
}
