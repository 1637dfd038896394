import { type Dirent, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";
import { isGitFolder } from "./git-folder.js";
import { entryAt, existing, gitFolderOf, isFolder, realPath, submodulesIn } from "./machine-paths.js";
import { configOf, gitLinkOf } from "./submodules.js";

/** A path that makes git run programs. It may be missing, or a link. */
interface GitName {
  readonly path: string;
  /** `link` leads git to its folder; `hooks` is a folder. */
  readonly kind: "link" | "config" | "hooks";
}

/** Git's files that make git run programs, in the workspace roots of a sandbox and below them. All paths are absolute. */
export interface GitData {
  /** Folders with the history of a root that is a linked work tree. They lie outside of the root. */
  readonly histories: readonly string[];
  /** Git's own folders, links followed: those of repositories and of submodules. */
  readonly folders: readonly string[];
  /** Folders with a `.git`. */
  readonly trees: readonly string[];
  /** `.git` files, links in git's own folders, and the files and folders that a configuration names. */
  readonly named: readonly GitName[];
  /** Whether the search below the roots ended before it had seen all folders. */
  readonly isCut: boolean;
}

/** Limits of the search below the roots: bubblewrap takes some 3,000 mounts, of which a repository needs about ten. */
interface GitSearchLimits {
  readonly folders: number;
  readonly repositories: number;
  readonly ms: number;
}

const defaultLimits: GitSearchLimits = { folders: 20_000, repositories: 100, ms: 1_000 };
/** Of a file that holds one path. */
const maxLinkBytes = 65_536;
/** Git itself follows includes ten levels deep. */
const maxIncludes = 100;

/**
 * Finds git's files in `roots` (links followed), and makes hooks and an empty configuration where git would take new ones. Follows
 * submodules, linked work trees, `.git` files and links of a repository without a limit; only the search for other repositories has one.
 */
export function findGitData(roots: readonly string[], home: string, limits = defaultLimits): GitData {
  const histories = roots.flatMap((root) => gitFolderOf(root) ?? []);
  const isOurs = (path: string): boolean => [...roots, ...histories].some((owner) => isWithin(path, owner));
  /** By git's own folder: the work trees that it is for. */
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
      // If git's own folder stands there instead, the search finds it as a repository.
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
  // Holding one of these folders would hold the files that agents work on.
  const owners = [...roots, ...histories, ...folders.keys()];
  for (const [folder, own] of folders) {
    for (const { path, kind } of namesMadeIn(folder, own, home)) {
      if (isOurs(path) && !owners.some((owner) => isWithin(owner, path))) named.set(path, kind);
    }
  }
  const names = Array.from(named, ([path, kind]) => ({ path, kind }));
  return { histories, folders: [...folders.keys()], trees: [...trees], named: names, isCut };
}

/** Makes hooks and configurations in one of git's folders where git would take new ones, then returns the names that matter. */
function namesMadeIn(folder: string, trees: ReadonlySet<string>, home: string): ReturnType<typeof namesOf> {
  makeFolder(join(folder, "hooks"));
  makeConfigs(folder);
  return namesOf(folder, trees, home);
}

/**
 * Looks for repositories below `roots`, nearest first, without following links. `found` gets each, a folder with `.git` or a bare one, and
 * returns how many there are. Packages of npm are left out: nobody uses git there. Returns whether a limit ended the search.
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

/** Links in git's own folder, and what its configuration names. `trees` are its work trees: a relative folder of hooks lies in each. */
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

/** A repository without configuration is one too, and an empty file changes nothing: that can be held. */
function makeConfigs(folder: string): void {
  if (entryAt(join(folder, "config")) === undefined && isGitFolder(folder)) makeEmpty(join(folder, "config"));
  // Git reads one more file for each work tree if the first one says so.
  const settings = configOf(folder);
  if (!settings.some(({ section, key }) => section === "extensions" && key === "worktreeconfig")) return;
  for (const at of [folder, ...existing(folder, "worktrees/*")]) makeEmpty(join(at, "config.worktree"));
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // It is there, or nobody in the sandbox can make it either.
  }
}

function makeEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx" });
  } catch {
    // It is there, or nobody can make it.
  }
}

function listed(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The one line of a file, without its end; undefined if it cannot be read. */
function textIn(path: string): string | undefined {
  try {
    return readUntrustedFile(realpathSync(path), { maxBytes: maxLinkBytes }).replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}
