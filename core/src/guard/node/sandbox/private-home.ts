import { randomUUID } from "node:crypto";
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../../sandbox/sandbox-plan.js";

interface PrivateHomeOptions {
  /** Where it is kept. */
  readonly folder: string;
  /** The user's folder that it stands in for. */
  readonly home: string;
  /** Files of the user's folder to be copied where they are newer. */
  readonly copied: readonly string[];
  /** Folders that are bound into it, and have to be there. */
  readonly state: readonly string[];
}

/**
 * The folder that a sandbox has in place of the user's own, made where it is missing. The agent writes it freely, so that a link
 * in it could lead whoever mounts or copies there to any place: throws where one stands in the way.
 */
export function openPrivateHome({ folder, home, copied, state }: PrivateHomeOptions): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const path of state) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (isWithin(path, home)) makeFolders(folder, relative(home, path));
  }
  for (const name of copied) {
    makeFolders(folder, dirname(name));
    copyNewer(join(home, name), join(folder, name));
  }
  return folder;
}

/** Makes the folders of a path below `folder`, none of which may be a link. */
export function makeFolders(folder: string, path: string): void {
  let at = folder;
  for (const name of path.split("/").filter((one) => one !== "" && one !== ".")) {
    at = join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (!stats) mkdirSync(at, { mode: 0o700 });
    else if (!stats.isDirectory()) throw new Error(`"${at}" is in the way of a folder: remove it`);
  }
}

/** Makes an empty file below `folder`, where nothing is; neither it nor a folder above it may be a link. */
export function makeFile(folder: string, path: string): void {
  makeFolders(folder, dirname(path));
  const file = join(folder, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  else if (!stats.isFile()) throw new Error(`"${file}" is in the way of a file: remove it`);
}

function copyNewer(from: string, to: string): void {
  const user = statSync(from, { throwIfNoEntry: false });
  const own = lstatSync(to, { throwIfNoEntry: false });
  if (!user?.isFile()) return;
  if (own && !own.isFile()) throw new Error(`"${to}" is no file: remove it`);
  if (own && own.mtimeMs >= user.mtimeMs) return;
  // Where an agent that runs puts a link meanwhile, the link is replaced, not what it leads to.
  const made = `${to}.${randomUUID()}`;
  copyFileSync(from, made, constants.COPYFILE_EXCL);
  utimesSync(made, user.atime, user.mtime);
  renameSync(made, to);
}
