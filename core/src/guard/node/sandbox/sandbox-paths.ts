import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
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

/** What a sandbox is for. */
export interface SandboxSubject {
  /** Names the private folder, such as `claude-code`. */
  readonly id: string;
  readonly needs: SandboxNeeds | undefined;
  /** Workspace roots: absolute paths. */
  readonly roots: readonly string[];
  /** Whether it writes temporary folders of ours that its command names: for our own tools. */
  readonly sharesTemporary?: boolean;
  /**
   * Whether agents choose the words and variables of its command, as those of cargo and tests: what these name is not opened, but the
   * program itself, as PATH of this process has it.
   */
  readonly isNamedByAgents?: boolean;
  /** Files and folders of ours that its programs start. */
  readonly ownPrograms: readonly string[];
  /** The folder of our own configuration. */
  readonly configFolder: string;
  /** Files in there that are for its program, where they exist. */
  readonly given?: readonly string[];
  /** The user's own folder; that of this process by default. */
  readonly home?: string;
  /** Protected files and folders of the workspace that the user's rules open. Absolute. */
  readonly opened?: readonly string[];
  /** Whether the private folder stands for itself, since the system mounts nothing upon folders of it (macOS). */
  readonly hasNoMounts?: boolean;
}

/** What is known of a program's sandbox on this machine, and what of the protected names is not there yet. */
interface FoundPaths {
  readonly paths: SandboxPaths;
  /** Paths that would run code later, if they were made, and links of such names, which no mount holds: to be watched. */
  readonly missing: WatchedPaths;
  /** The protected names, by the folder that they are looked for in; `*` stands for one name. */
  readonly named: readonly { readonly folder: string; readonly names: readonly string[] }[];
}

/** Why a folder can be no workspace of a sandbox, with the remedy; undefined where it can. */
export function refusedRoot(root: string, configFolder: string, home = homedir()): string | undefined {
  const [real, own] = [realPath(root), realPath(home) ?? home];
  const remedy = "Open a folder of your project.";
  if (real === undefined || !isFolder(real)) return `"${root}" is not a folder. ${remedy}`;
  if (isWithin(own, real)) return `"${root}" holds your whole home folder, which a sandbox cannot open. ${remedy}`;
  const system = ["/usr", "/etc", "/bin", "/sbin", "/lib", "/boot", "/dev", "/proc", "/sys", "/run"];
  const systemOfMac = ["/System", "/Library", "/Applications", "/private/etc", "/private/var/db", "/private/var/root"];
  const closed = [
    ...system,
    ...systemOfMac,
    realPath(configFolder) ?? configFolder,
    ...hiddenInHome.map((name) => join(own, name)),
  ];
  const lies = closed.find((folder) => isWithin(real, folder));
  if (lies !== undefined) return `"${root}" lies in "${lies}", which no sandbox opens. ${remedy}`;
  return undefined;
}

/**
 * Looks at this machine for a program's sandbox, and makes what has to be there. Throws where the private folder is no folder of ours,
 * or a folder that the agent keeps its state in is one that no sandbox opens.
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

/** Returns the names in a folder that the user's rules do not open. */
type ClosedIn = (folder: string, names: readonly string[]) => readonly string[];

/** Returns the protected names of the workspace, its repositories and the agent's own folders. */
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
  /** The files and folders that are there. */
  readonly paths: readonly string[];
}

function lookFor(owned: FoundPaths["named"], closedIn: ClosedIn): readonly FoundName[] {
  return owned.flatMap(({ folder, names }) =>
    names.map((name) => {
      // Before the look: what comes between is then either held, or known to be new.
      const path = join(folder, name);
      const [before, known] = [identityOf(path), name.includes("*") ? pathsLike(path) : undefined];
      return { path, name, before, known, paths: closedIn("/", existing(folder, name)) };
    }),
  );
}

function watchedName({ path, name, before, known, paths }: FoundName): [string, WatchedPath][] {
  if (dirname(name).includes("*")) return [];
  if (known) return [[path, { before, known }]];
  // The user can replace the one that is held, and then it is held no more.
  return paths.length === 0 || name === "HEAD" ? [[path, { before }]] : [];
}

interface FoundGitName {
  readonly path: string;
  readonly kind: GitData["named"][number]["kind"];
  readonly before: WatchedPath["before"];
  /** The path that it leads to, if a mount can protect that. */
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

/** Returns the paths that a mount protects, since they would run code later. */
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
      // A program that lies in there is started without a sandbox, too.
      ...programs.filter((path) => state.some((folder) => path !== folder && isWithin(path, folder))),
    ]),
  ];
}

function watchedGitName({ path, kind, before, held }: FoundGitName): [string, WatchedPath][] {
  // A folder of hooks that is missing may be made for work. No mount holds a link.
  return held.includes(path) ? [] : [[path, { before, ends: kind !== "hooks" || before !== undefined }]];
}

/**
 * Gives each folder that holds a root a place of its own, instead of one in the private home that all projects share: `git worktree add ../x`
 * of two projects would meet there. Leaves out the home folder itself, and folders where programs keep their files.
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

/** Where a folder of state lies, and its own name where that is a link: mounts are made by both. */
function statePlaces(path: string, roots: readonly string[]): readonly string[] {
  const real = realPath(path);
  if (real === undefined) return [];
  // In a root the link itself is there.
  return real === path || roots.some((root) => isWithin(path, root)) ? [real] : [real, path];
}

/** Makes the folders that have to be in a folder of state. Throws if no sandbox may open it. */
function makeState(path: string, needs: SandboxNeeds | undefined, configFolder: string, home: string): void {
  const refusal = refusedState(path, configFolder, home);
  if (refusal !== undefined) throw new Error(refusal);
  for (const name of [...(needs?.runsLater ?? []).filter(isMade), ...(needs?.ownInEach ?? [])]) makeIn(path, name);
}

/** Why a folder of state, which a variable may name, cannot be opened. */
function refusedState(path: string, configFolder: string, home: string): string | undefined {
  const holdsAll = isWithin(home, path) || isWithin(realPath(configFolder) ?? configFolder, path);
  const closed = hiddenInHome.map((name) => join(home, name)).find((folder) => isWithin(path, folder));
  if (!holdsAll && closed === undefined) return undefined;
  return `the agent's own folder "${path}" ${holdsAll ? "holds your home folder" : `lies in "${closed}"`}: name another one`;
}

function isMade(name: string): boolean {
  return name.endsWith("/");
}

/** Makes a folder that can then be held, where nothing is. What is in the way is the agent's to complain of. */
function makeIn(folder: string, name: string): void {
  try {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  } catch {
    // A file, a link that leads nowhere, or a folder that may not be written: then nobody in the sandbox writes it either.
  }
}

/**
 * Where `.git` is broken, git takes the folder around it for a repository without a work tree, with a configuration of its own, once it has
 * this file. A folder of that name is the user's, and git makes nothing of it; it is watched for what comes in its place.
 */
function bareNames(folder: string): readonly string[] {
  if (!isFolder(join(folder, ".git"))) return [".git"];
  return entryAt(join(folder, "HEAD"))?.isDirectory() ? [] : ["HEAD"];
}

/** What else has to be watched beside `.git`: such a folder, or what makes a repository of the root by a file that was there before. */
function watchedBeside(roots: readonly string[]): readonly [string, WatchedPath][] {
  const watched = (folder: string): readonly string[] => {
    const head = join(folder, "HEAD");
    if (!isFolder(join(folder, ".git"))) return entryAt(head) ? [] : [head];
    if (entryAt(head)?.isDirectory()) return [head];
    return mayBeHead(head) ? besideHead.map((name) => join(folder, name)) : [];
  };
  return roots.flatMap(watched).map((path) => [path, { before: identityOf(path) }]);
}

/** Where the path leads to; nothing where nothing is there. */
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
