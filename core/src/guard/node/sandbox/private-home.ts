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
  /** Where it is kept. */
  readonly folder: string;
  /** The user's folder that it stands in for. */
  readonly home: string;
  /** Files of the user's folder to be copied where they are newer. */
  readonly copied: readonly string[];
  /** Folders that are bound into it, and have to be there. */
  readonly state: readonly string[];
  /** Whether folders are mounted there. */
  readonly hasMounts: boolean;
}

/**
 * The folder that a sandbox has in place of the user's own, made where it is missing. The agent writes it freely, so that a link
 * in it could lead whoever mounts or copies there to any place: throws where one stands in the way.
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

/** What a sandbox has of the user's folder, where nothing can be mounted. */
interface HomeLinks {
  /** What the program cannot do without: its own sessions and sign-in. */
  readonly needed: readonly string[];
  /** What it finds in other ways, too: its work, and programs that `PATH` names. */
  readonly wanted: readonly string[];
}

/**
 * Makes links in the private folder to what a sandbox has of the user's. Links that stand in the way are replaced, whether an agent has put
 * them there or an earlier start with folders above or below these; so are folders with nothing but such links. Throws where a file of the
 * agent's is in the way of what is needed; what is only wanted has no link then.
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
  else if (stats) throw new Error(`"${place}" is in the way of a link to "${target}": remove it`);
  symlinkSync(target, place);
}

/** Whether there is nothing in a folder but links, and folders of which the same is true. */
function isHollow(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).every(
    (entry) => entry.isSymbolicLink() || (entry.isDirectory() && isHollow(join(folder, entry.name))),
  );
}

/** Removes such a folder. Throws where something was put there meanwhile. */
function removeHollow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) unlinkSync(path);
    else removeHollow(path);
  }
  rmdirSync(folder);
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
