import { attempt } from "../../../base/attempt.js";
import { type Dirent, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";
import { isGitFolder } from "./git-folder.js";
import { entryAt, existing, gitFolderOf, isFolder, realPath, submodulesIn } from "./machine-paths.js";
import { configOf, gitLinkOf } from "./submodules.js";

/** A path at which git looks for a file that makes it run programs. The file may be missing, or the path may be a link. */
interface GitName {
  readonly path: string;
  /** Kind of file. `link` is a file that points git to a folder; `hooks` is a folder. */
  readonly kind: "link" | "config" | "hooks";
}

/** Files in or below the workspace roots that can make git run programs. All paths are absolute. */
export interface GitData {
  /** History folders of those roots that are linked worktrees. These folders are outside the roots. */
  readonly histories: readonly string[];
  /** Git folders of repositories and submodules, links resolved. */
  readonly folders: readonly string[];
  /** Folders that contain a `.git` file or folder. */
  readonly trees: readonly string[];
  /** `.git` files, links in git folders, and the paths that a git configuration names. */
  readonly named: readonly GitName[];
  /** Whether the search below the roots stopped at a limit. */
  readonly isCut: boolean;
}

/** Limits of the search below the roots. They exist because bubblewrap accepts about 3,000 mounts, and a repository needs about ten. */
interface GitSearchLimits {
  readonly folders: number;
  readonly repositories: number;
  readonly ms: number;
}

const defaultLimits: GitSearchLimits = { folders: 20_000, repositories: 100, ms: 1_000 };
/** Maximum bytes of a file that contains a single path. */
const maxLinkBytes = 65_536;
/** Maximum number of included configuration files to follow. Git itself follows includes ten levels deep. */
const maxIncludes = 100;

/**
 * Finds git's files in `roots`, whose links must be resolved. Creates hooks folders and empty configurations if git would accept new ones,
 * so that they can be protected. Only the search for other repositories is limited; submodules, linked worktrees and links are always
 * followed.
 */
export function findGitData(roots: readonly string[], home: string, limits = defaultLimits): GitData {
  const histories = roots.flatMap((root) => gitFolderOf(root) ?? []);
  const isOurs = (path: string): boolean => [...roots, ...histories].some((owner) => isWithin(path, owner));
  /** Worktrees by their repository's git folder. */
  const folders = new Map<string, Set<string>>();
  const trees = new Set<string>();
  const named = new Map<string, GitName["kind"]>();
  const addFolder = (path: string, tree?: string): void => {
    const real = realPath(path);
    if (real === undefined || !isFolder(real) || !isOurs(real)) return;
    const common = textIn(join(real, "commondir"));
    if (common !== undefined && textIn(join(real, "gitdir")) !== undefined)
      return addFolder(resolve(real, common), tree);
    const known = folders.get(real);
    if (known) {
      if (tree !== undefined) known.add(tree);
      return;
    }
    folders.set(real, new Set(tree === undefined ? [] : [tree]));
    for (const module of submodulesIn(real)) {
      addFolder(module);
      const link = gitLinkOf(module);
      // If `.git` is a folder there, the search finds it as a repository.
      if (link !== undefined && realPath(link) === link) addTree(dirname(link));
    }
    for (const file of existing(real, "worktrees/*/gitdir")) {
      const link = textIn(file);
      if (link !== undefined) addTree(dirname(resolve(dirname(file), link)));
    }
  };
  const addTree = (tree: string): void => {
    const link = join(tree, ".git");
    const entry = entryAt(link);
    if (!entry || trees.has(tree) || !isOurs(tree)) return;
    trees.add(tree);
    if (!entry.isDirectory()) named.set(link, "link");
    if (isFolder(link)) return addFolder(link, tree);
    const [, target] = /^gitdir: (.+)$/.exec(textIn(link) ?? "") ?? [];
    if (target !== undefined) addFolder(resolve(tree, target), tree);
  };
  for (const root of roots) {
    addTree(root);
    if (isGitFolder(root)) addFolder(root);
  }
  for (const history of histories) addFolder(history);
  const isCut = search(roots, limits, (path, isTree) => {
    if (isTree) addTree(path);
    else addFolder(path);
    return folders.size;
  });
  // Skip these folders, since protecting them would protect the files that agents work on.
  const owners = [...roots, ...histories, ...folders.keys()];
  for (const [folder, own] of folders) {
    for (const { path, kind } of namesMadeIn(folder, own, home)) {
      if (isOurs(path) && !owners.some((owner) => isWithin(owner, path))) named.set(path, kind);
    }
  }
  const names = Array.from(named, ([path, kind]) => ({ path, kind }));
  return { histories, folders: [...folders.keys()], trees: [...trees], named: names, isCut };
}

/** Creates hooks and configurations in a git folder if git would accept new ones. Then returns the paths to protect. */
function namesMadeIn(folder: string, trees: ReadonlySet<string>, home: string): ReturnType<typeof namesOf> {
  makeFolder(join(folder, "hooks"));
  makeConfigs(folder);
  return namesOf(folder, trees, home);
}

/**
 * Searches for repositories below `roots`, nearest first, without following links or entering `node_modules`; returns whether the search
 * stopped at a limit. Calls `found` with each worktree or bare repository; `found` returns the total so far.
 */
function search(
  roots: readonly string[],
  limits: GitSearchLimits,
  found: (path: string, isTree: boolean) => number,
): boolean {
  const deadline = performance.now() + limits.ms;
  const left = [...roots];
  let repositories = 0;
  for (let at = 0; at < left.length; at++) {
    const folder = left[at] ?? "";
    if (at >= limits.folders || repositories >= limits.repositories || performance.now() > deadline) return true;
    const entries = listed(folder);
    const names = new Set(entries.map(({ name }) => name));
    if (names.has(".git")) repositories = found(folder, true);
    if (names.has("HEAD") && names.has("refs") && isGitFolder(folder)) {
      repositories = found(folder, false);
      continue;
    }
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== ".git" && entry.name !== "node_modules") {
        left.push(join(folder, entry.name));
      }
    }
  }
  return false;
}

/**
 * Returns the links in a git folder and the paths that its configuration names. `trees` are the worktrees, since each of them resolves a
 * relative hooks path differently.
 */
function namesOf(folder: string, trees: ReadonlySet<string>, home: string): readonly GitName[] {
  const isLink = ({ path }: GitName): boolean => entryAt(path)?.isSymbolicLink() === true;
  const links = (["config", "hooks"] as const).map((kind) => ({ path: join(folder, kind), kind })).filter(isLink);
  const found: GitName[] = [];
  const files = ["config", "config.worktree", "worktrees/*/config.worktree"].flatMap((name) => existing(folder, name));
  const places = trees.size > 0 ? trees : [folder];
  for (let at = 0; at < files.length && at < maxIncludes; at++) {
    const file = files[at] ?? "";
    for (const { section, key, value } of configOf(dirname(file), basename(file))) {
      const path = value.startsWith("~/") ? join(home, value.slice(2)) : value;
      if (path === "") continue;
      if (section === "core" && key === "hookspath") {
        for (const place of places) found.push({ path: resolve(place, path), kind: "hooks" });
      } else if (["include", "includeif"].includes(section) && key === "path") {
        const included = resolve(dirname(file), path);
        if (!files.includes(included)) files.push(included);
        found.push({ path: included, kind: "config" });
      }
    }
  }
  return [...links, ...found];
}

/** Creates a git folder's missing configuration file. An empty file changes nothing, but can be protected. */
function makeConfigs(folder: string): void {
  if (entryAt(join(folder, "config")) === undefined && isGitFolder(folder)) makeEmpty(join(folder, "config"));
  // With this extension, git reads one more configuration file per worktree.
  const settings = configOf(folder);
  if (!settings.some(({ section, key }) => section === "extensions" && key === "worktreeconfig")) return;
  for (const at of [folder, ...existing(folder, "worktrees/*")]) makeEmpty(join(at, "config.worktree"));
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // If creation failed, the file exists, or programs in the sandbox can't create it either.
  }
}

function makeEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx" });
  } catch {
    // If creation failed, the file exists, or nobody can create it.
  }
}

function listed(folder: string): readonly Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** Reads a file that contains one line, without the line break; undefined if the file is unreadable. */
function textIn(path: string): string | undefined {
  return attempt(() => readUntrustedFile(realpathSync(path), { maxBytes: maxLinkBytes }).replace(/\r?\n$/, ""));
}
