import { randomUUID } from "node:crypto";
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../../sandbox/sandbox-plan.js";

interface PrivateHomeOptions {
  readonly folder: string;
  /** The user's home folder, which the private folder replaces in the sandbox. */
  readonly home: string;
  readonly copied: readonly string[];
  /** Folders that are bound into the private folder and must exist. */
  readonly state: readonly string[];
  /** Whether folders are mounted into the private folder. */
  readonly hasMounts: boolean;
}

/**
 * Creates a sandbox's private home folder if it doesn't exist. Throws if a path inside is a link, since the agent can write there, and a
 * link would redirect mounts and copies.
 */
export function openPrivateHome({ folder, home, copied, state, hasMounts }: PrivateHomeOptions): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const path of state) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (hasMounts && isWithin(path, home)) makeFolders(folder, relative(home, path));
  }
  for (const name of copied) {
    makeFolders(folder, dirname(name));
    copyNewer(join(home, name), join(folder, name));
  }
  return folder;
}

/** Creates the folders of a path below `folder`. Throws if one is a link. */
export function makeFolders(folder: string, path: string): void {
  let at = folder;
  for (const name of path.split("/").filter((one) => one !== "" && one !== ".")) {
    at = join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (!stats) mkdirSync(at, { mode: 0o700 });
    else if (!stats.isDirectory()) throw new Error(`"${at}" isn't a folder: remove it`);
  }
}

/** Paths in the user's home folder to link into the private folder if mounting isn't possible. */
interface HomeLinks {
  /** Paths that the program needs: its own sessions and sign-in data. */
  readonly needed: readonly string[];
  /** Paths that the program can also reach without a link: its workspace, and programs in `PATH`. */
  readonly wanted: readonly string[];
}

/**
 * Links paths of the user's home folder into the private folder, replacing links and folders of links from an agent or an earlier start. If
 * another file blocks a path, throws for a needed path and skips a wanted one.
 */
export function linkIntoHome(folder: string, home: string, { needed, wanted }: HomeLinks): void {
  const inside = [...needed, ...wanted].filter((path) => path !== home && isWithin(path, home));
  const outermost = inside.filter((path) => !inside.some((other) => other !== path && isWithin(path, other)));
  for (const target of new Set(outermost)) {
    try {
      linkTo(target, folder, relative(home, target));
    } catch (error) {
      if (needed.some((path) => isWithin(path, target))) throw error;
    }
  }
}

function linkTo(target: string, folder: string, path: string): void {
  const names = path.split("/");
  for (const [index] of names.slice(1).entries()) {
    const above = join(folder, ...names.slice(0, index + 1));
    if (lstatSync(above, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(above);
  }
  makeFolders(folder, dirname(path));
  const place = join(folder, path);
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() && readlinkSync(place) === target) return;
  if (stats?.isSymbolicLink()) unlinkSync(place);
  else if (stats?.isDirectory() && isHollow(place)) removeHollow(place);
  else if (stats) throw new Error(`"${place}" must be a link to "${target}": remove it`);
  symlinkSync(target, place);
}

function isHollow(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).every(
    (entry) => entry.isSymbolicLink() || (entry.isDirectory() && isHollow(join(folder, entry.name))),
  );
}

/** Removes a folder that contains only links. Throws if another file was added in the meantime. */
function removeHollow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) unlinkSync(path);
    else removeHollow(path);
  }
  rmdirSync(folder);
}

/** Creates an empty file below `folder` if it doesn't exist. Throws if the file or one of its parents is a link. */
export function makeFile(folder: string, path: string): void {
  makeFolders(folder, dirname(path));
  const file = join(folder, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  else if (!stats.isFile()) throw new Error(`"${file}" isn't a file: remove it`);
}

function copyNewer(from: string, to: string): void {
  const user = statSync(from, { throwIfNoEntry: false });
  const own = lstatSync(to, { throwIfNoEntry: false });
  if (!user?.isFile()) return;
  if (own && !own.isFile()) throw new Error(`"${to}" isn't a file: remove it`);
  if (own && own.mtimeMs >= user.mtimeMs) return;
  // Copy to a new name and rename, since that replaces a link inserted by a running agent instead of writing to the link's target.
  const made = `${to}.${randomUUID()}`;
  copyFileSync(from, made, constants.COPYFILE_EXCL);
  utimesSync(made, user.atime, user.mtime);
  renameSync(made, to);
}
