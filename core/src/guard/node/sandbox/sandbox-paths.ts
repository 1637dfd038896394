import { createHash } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { HomeFolder, SandboxNeeds } from "../../../agents/registry/sandbox-needs.js";
import { hiddenInHome, protectedInWorkspace, toolchainsInHome } from "../../sandbox/protected-names.js";
import { isWithin, type SandboxPaths } from "../../sandbox/sandbox-plan.js";
import {
  entryAt,
  existing,
  isFolder,
  pathsLike,
  programPaths,
  realPath,
  systemPaths,
  systemSecrets,
} from "./machine-paths.js";
import { findGitData, type GitData } from "./git-data.js";
import { besideHead, mayBeHead } from "./git-folder.js";
import { identityOf, type WatchedPath, type WatchedPaths } from "./missing-paths.js";
import { openPrivateHome } from "./private-home.js";

export interface SandboxSubject {
  /** Name of the program's private folder, such as `claude-code`. */
  readonly id: string;
  readonly needs: SandboxNeeds | undefined;
  /** Absolute paths of the workspace roots. */
  readonly roots: readonly string[];
  /** Whether the sandbox may write to those of Symposium's temporary folders that the command names. Used for Symposium's own tools. */
  readonly sharesTemporary?: boolean;
  /**
   * Whether agents choose the command's arguments and variables, as for cargo and tests. If so, the sandbox makes only the program
   * readable, found with this process's PATH.
   */
  readonly isNamedByAgents?: boolean;
  /** Symposium's own files and folders that the sandboxed programs start. */
  readonly ownPrograms: readonly string[];
  readonly configFolder: string;
  /** Files in the configuration folder that the program may read, if they exist. */
  readonly given?: readonly string[];
  /** The user's home folder; by default, this process's home folder. */
  readonly home?: string;
  /** Absolute paths of protected workspace files and folders that the user's rules make writable. */
  readonly opened?: readonly string[];
  /** Whether the system can't mount into the private folder (macOS), so that programs use the folder's real path. */
  readonly hasNoMounts?: boolean;
}

/** Paths of a program's sandbox on this machine, and the protected paths that don't exist yet. */
interface FoundPaths {
  readonly paths: SandboxPaths;
  /** Paths to watch: missing ones that would run code later, and links with protected names, which a mount can't protect. */
  readonly missing: WatchedPaths;
  /** Protected names by the folder they are in; `*` matches any single name. */
  readonly named: readonly { readonly folder: string; readonly names: readonly string[] }[];
}

/** Returns why a folder can't be a sandbox's workspace, and what to do about it; undefined if it can be one. */
export function refusedRoot(root: string, configFolder: string, home = homedir()): string | undefined {
  const [real, own] = [realPath(root), realPath(home) ?? home];
  const remedy = "Open a folder of your project.";
  if (real === undefined || !isFolder(real)) return `"${root}" is not a folder. ${remedy}`;
  if (isWithin(own, real)) return `"${root}" contains your whole home folder, which a sandbox can't open. ${remedy}`;
  const system = ["/usr", "/etc", "/bin", "/sbin", "/lib", "/boot", "/dev", "/proc", "/sys", "/run"];
  const systemOfMac = ["/System", "/Library", "/Applications", "/private/etc", "/private/var/db", "/private/var/root"];
  const closed = [
    ...system,
    ...systemOfMac,
    realPath(configFolder) ?? configFolder,
    ...hiddenInHome.map((name) => join(own, name)),
  ];
  const lies = closed.find((folder) => isWithin(real, folder));
  if (lies !== undefined) return `"${root}" is in "${lies}", which a sandbox can't open. ${remedy}`;
  return undefined;
}

/**
 * Finds the paths for a program's sandbox and creates those it requires. Throws if the private folder isn't Symposium's, or if no sandbox
 * may make one of the agent's state folders writable.
 */
export function findPaths(
  { id, needs, roots, ownPrograms, configFolder, given = [], home: userHome = homedir(), ...subject }: SandboxSubject,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): FoundPaths {
  const home = realPath(userHome) ?? userHome;
  const real = [...new Set(roots.flatMap((root) => realPath(root) ?? []))];
  const git = findGitData(real, home);
  const named = (needs?.state ?? []).map((folder) => homeFolder(folder, home, env));
  const readable = (needs?.readable ?? []).map((folder) => homeFolder(folder, home, env));
  const toolchains = toolchainsInHome.map((name) => join(home, name));
  const privateHome = openPrivateHome({
    folder: join(configFolder, "guard", "home", id),
    home,
    copied: needs?.copied ?? [],
    state: named,
    hasMounts: subject.hasNoMounts !== true,
  });
  const state = named.flatMap((path) => statePlaces(path, real));
  for (const path of state) makeState(path, needs, configFolder, home);
  const started = subject.isNamedByAgents
    ? programPaths(words.slice(0, 1), process.env, cwd, home)
    : programPaths(words, env, cwd, home);
  const programs = [...toolchains, ...readable, ...started, ...ownPrograms]
    .flatMap((path) => visible(path))
    .filter((path) => !isWithin(home, path));
  const closedIn: ClosedIn = (folder, names) => names.filter((name) => !subject.opened?.includes(join(folder, name)));
  const owned = protectedNames(real, git, state, needs?.runsLater ?? [], closedIn);
  const found = lookFor(owned, closedIn);
  const ours = [...real, ...git.histories];
  const besides =
    subject.hasNoMounts === true ? [] : placesBeside(real, join(configFolder, "guard", "beside", id), home);
  const gitNames = lookForGitNames(git, ours);
  return {
    paths: {
      home,
      privateHome,
      besides,
      system: systemPaths(),
      secrets: process.getuid?.() === 0 ? systemSecrets() : [],
      programs: [...new Set(programs)],
      given: given.flatMap(visible),
      state,
      roots: [...new Set(ours)],
      runsLater: heldPaths(found, gitNames, programs, state),
      hidden: [
        realPath(configFolder) ?? configFolder,
        ...state.flatMap((folder) => (needs?.ownInEach ?? []).flatMap((name) => existing(folder, name))),
      ],
    },
    named: owned,
    missing: new Map([
      ...found.flatMap(watchedName),
      ...watchedBeside([...new Set([...real, ...git.trees])]),
      ...gitNames.flatMap(watchedGitName),
    ]),
  };
}

/** Returns those of the names in a folder that the user's rules don't make writable. */
type ClosedIn = (folder: string, names: readonly string[]) => readonly string[];

function protectedNames(
  roots: readonly string[],
  git: GitData,
  state: readonly string[],
  runsLater: readonly string[],
  closedIn: ClosedIn,
): FoundPaths["named"] {
  const inGit = protectedInWorkspace.flatMap((name) => (name.startsWith(".git/") ? [name.slice(".git/".length)] : []));
  return [
    ...roots.map((folder) => ({ folder, names: [...closedIn(folder, protectedInWorkspace), ...bareNames(folder)] })),
    ...git.trees.filter((tree) => !roots.includes(tree)).map((folder) => ({ folder, names: bareNames(folder) })),
    ...git.folders.map((folder) => ({ folder, names: closedIn(folder, inGit) })),
    ...state.map((folder) => ({ folder, names: runsLater.map((name) => name.replace(/\/$/, "")) })),
  ];
}

interface FoundName {
  readonly path: string;
  readonly name: string;
  readonly before: WatchedPath["before"];
  readonly known: WatchedPath["known"];
  readonly paths: readonly string[];
}

function lookFor(owned: FoundPaths["named"], closedIn: ClosedIn): readonly FoundName[] {
  return owned.flatMap(({ folder, names }) => {
    const mayExist = namesThatMayExist(folder);
    return names.map((name) => {
      const path = join(folder, name);
      // An entry created after the list is detected as new.
      if (!mayExist(name))
        return { path, name, before: undefined, known: name.includes("*") ? [] : undefined, paths: [] };
      // Read the identities before listing, so that an entry created in between is either protected or detected as new.
      const [before, known] = [identityOf(path), name.includes("*") ? pathsLike(path) : undefined];
      return { path, name, before, known, paths: closedIn("/", existing(folder, name)) };
    });
  });
}

/**
 * Returns a function that returns whether a name may exist in `folder`. Lists the folder once, since most protected names are missing.
 * Without a list, and if the list has letters outside ASCII, which some file systems ignore or treat like ASCII letters, all names may exist.
 */
function namesThatMayExist(folder: string): (name: string) => boolean {
  let entries: readonly string[];
  try {
    entries = readdirSync(folder);
  } catch {
    return () => true;
  }
  if (!entries.every((entry) => /^[ -~]+$/.test(entry))) return () => true;
  // Some file systems ignore case.
  const found = new Set(entries.map((entry) => entry.toLowerCase()));
  return (name) => {
    const [first = ""] = name.split("/");
    return first.includes("*") || found.has(first.toLowerCase());
  };
}

function watchedName({ path, name, before, known, paths }: FoundName): [string, WatchedPath][] {
  if (dirname(name).includes("*")) return [];
  if (known) return [[path, { before, known }]];
  // Keep watching a protected `HEAD`, since its protection ends if the user replaces the file.
  return paths.length === 0 || name === "HEAD" ? [[path, { before }]] : [];
}

interface FoundGitName {
  readonly path: string;
  readonly kind: GitData["named"][number]["kind"];
  readonly before: WatchedPath["before"];
  /** The resolved path, if a mount can protect it; otherwise empty. */
  readonly held: readonly string[];
}

function lookForGitNames(git: GitData, owners: readonly string[]): readonly FoundGitName[] {
  return git.named.map(({ path, kind }) => {
    const before = identityOf(path);
    const place = realPath(path);
    const isHeld =
      place !== undefined && owners.some((owner) => isWithin(place, owner)) && !(kind === "link" && isFolder(place));
    return { path, kind, before, held: isHeld ? [place] : [] };
  });
}

/** Returns the existing paths that would run code later and that mounts must protect. */
function heldPaths(
  found: readonly FoundName[],
  gitNames: readonly FoundGitName[],
  programs: readonly string[],
  state: readonly string[],
): readonly string[] {
  return [
    ...new Set([
      ...found.flatMap(({ paths }) => paths),
      ...gitNames.flatMap(({ held }) => held),
      // Programs in state folders also start outside sandboxes.
      ...programs.filter((path) => state.some((folder) => path !== folder && isWithin(path, folder))),
    ]),
  ];
}

function watchedGitName({ path, kind, before, held }: FoundGitName): [string, WatchedPath][] {
  // Creating a missing hooks folder can be legitimate, so it doesn't end the sandbox. A link must be watched, since a mount can't protect
  // it.
  return held.includes(path) ? [] : [[path, { before, ends: kind !== "hooks" || before !== undefined }]];
}

/**
 * Gives each parent folder of a root a private folder of its own; in a shared one, `git worktree add ../x` in two projects would collide.
 * Skips the home folder and hidden folders, since programs store files there.
 */
function placesBeside(roots: readonly string[], kept: string, home: string): NonNullable<SandboxPaths["besides"]> {
  return [...new Set(roots.map((root) => dirname(root)))].flatMap((path) => {
    const isPlain = path !== home && isWithin(path, home) && !relative(home, path).startsWith(".");
    if (!isPlain || roots.some((root) => isWithin(path, root))) return [];
    const inside = roots.filter((root) => dirname(root) === path);
    const source = join(kept, createHash("sha256").update(inside.join("\n")).digest("hex").slice(0, 16));
    mkdirSync(source, { recursive: true, mode: 0o700 });
    return [{ path, source }];
  });
}

/** Returns a state folder's real path. If its path is a link, also returns the link's path, so that both are mounted. */
function statePlaces(path: string, roots: readonly string[]): readonly string[] {
  const real = realPath(path);
  if (real === undefined) return [];
  // A link inside a root is visible without being mounted.
  return real === path || roots.some((root) => isWithin(path, root)) ? [real] : [real, path];
}

/** Creates the subfolders that a state folder requires. Throws if no sandbox may make the folder writable. */
function makeState(path: string, needs: SandboxNeeds | undefined, configFolder: string, home: string): void {
  const refusal = refusedState(path, configFolder, home);
  if (refusal !== undefined) throw new Error(refusal);
  for (const name of [...(needs?.runsLater ?? []).filter((name) => name.endsWith("/")), ...(needs?.ownInEach ?? [])])
    makeIn(path, name);
}

/** Returns why a sandbox can't make a state folder writable. This must be checked, since a variable may name any folder. */
function refusedState(path: string, configFolder: string, home: string): string | undefined {
  const holdsAll = isWithin(home, path) || isWithin(realPath(configFolder) ?? configFolder, path);
  const closed = hiddenInHome.map((name) => join(home, name)).find((folder) => isWithin(path, folder));
  if (!holdsAll && closed === undefined) return undefined;
  return `the agent's own folder "${path}" ${holdsAll ? "holds your home folder" : `lies in "${closed}"`}: name another one`;
}

/** Creates a folder, so that a mount can protect it. Ignores errors, since the agent itself will report them. */
function makeIn(folder: string, name: string): void {
  try {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  } catch {
    // Ignore a file, a dangling link or a read-only folder, since the sandbox can't create a folder there either.
  }
}

/**
 * Returns the name that could redirect git. If `.git` is broken, a file named `HEAD` makes git treat the parent folder as a bare repository
 * with its own configuration; git ignores a folder named `HEAD`, which is therefore only watched for being replaced.
 */
function bareNames(folder: string): readonly string[] {
  if (!isFolder(join(folder, ".git"))) return [".git"];
  return entryAt(join(folder, "HEAD"))?.isDirectory() ? [] : ["HEAD"];
}

/**
 * Returns further paths to watch next to `.git`: a folder named `HEAD`, or the names that turn a root with a `HEAD` file into a repository.
 */
function watchedBeside(roots: readonly string[]): readonly [string, WatchedPath][] {
  const watched = (folder: string): readonly string[] => {
    const head = join(folder, "HEAD");
    if (!isFolder(join(folder, ".git"))) return entryAt(head) ? [] : [head];
    if (entryAt(head)?.isDirectory()) return [head];
    return mayBeHead(head) ? besideHead.map((name) => join(folder, name)) : [];
  };
  return roots.flatMap(watched).map((path) => [path, { before: identityOf(path) }]);
}

function visible(path: string): readonly string[] {
  const real = realPath(path);
  return real === undefined ? [] : [real];
}

function homeFolder(
  { folderIn, folder, name = "" }: HomeFolder,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const moved = folderIn === undefined ? undefined : env[folderIn];
  return join(moved === undefined || moved === "" ? join(home, folder) : moved, name);
}
