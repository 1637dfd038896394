import { type Dirent, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";
import { isGitFolder } from "./git-folder.js";
import { entryAt, existing, gitFolderOf, isFolder, realPath, submodulesIn } from "./machine-paths.js";
import { configOf, gitLinkOf } from "./submodules.js";

/** Path that makes git run programs; may be missing or a link. */
interface GitName {
  readonly path: string;
  /** `link` points git to its folder; `hooks` is a folder. */
  readonly kind: "link" | "config" | "hooks";
}

/** Git files in or below the workspace roots that can make git run programs. All paths are absolute. */
export interface GitData {
  /** History folders of roots that are linked worktrees, outside the roots. */
  readonly histories: readonly string[];
  /** Git folders of repositories and submodules, links resolved. */
  readonly folders: readonly string[];
  /** Folders that contain `.git`. */
  readonly trees: readonly string[];
  /** `.git` files, links in git folders, and paths named by a git configuration. */
  readonly named: readonly GitName[];
  /** Whether a limit ended the search below the roots. */
  readonly isCut: boolean;
}

/** Limits of the search below the roots: bubblewrap accepts about 3,000 mounts, and a repository needs about ten. */
interface GitSearchLimits {
  readonly folders: number;
  readonly repositories: number;
  readonly ms: number;
}

const defaultLimits: GitSearchLimits = { folders: 20_000, repositories: 100, ms: 1_000 };
/** Maximum size of a file that contains one path. */
const maxLinkBytes = 65_536;
/** Git itself follows includes ten levels deep. */
const maxIncludes = 100;

/**
 * Finds git's files in `roots` (links resolved). Creates hooks folders and empty configurations if git would accept new ones. Only the
 * search for other repositories is limited; submodules, linked worktrees and links are always followed.
 */
export function findGitData(roots: readonly string[], home: string, limits = defaultLimits): GitData {
  const histories = roots.flatMap((root) => gitFolderOf(root) ?? []);
  const isOurs = (path: string): boolean => [...roots, ...histories].some((owner) => isWithin(path, owner));
  /** Worktrees by git folder. */
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
  // Protecting one of these folders would protect the files that agents work on.
  const owners = [...roots, ...histories, ...folders.keys()];
  for (const [folder, own] of folders) {
    for (const { path, kind } of namesMadeIn(folder, own, home)) {
      if (isOurs(path) && !owners.some((owner) => isWithin(owner, path))) named.set(path, kind);
    }
  }
  const names = Array.from(named, ([path, kind]) => ({ path, kind }));
  return { histories, folders: [...folders.keys()], trees: [...trees], named: names, isCut };
}

/** Creates hooks and configurations in a git folder if git would accept new ones, then returns the paths to protect. */
function namesMadeIn(folder: string, trees: ReadonlySet<string>, home: string): ReturnType<typeof namesOf> {
  makeFolder(join(folder, "hooks"));
  makeConfigs(folder);
  return namesOf(folder, trees, home);
}

/**
 * Searches for repositories below `roots`, nearest first, without following links or entering `node_modules`. Calls `found` with each
 * worktree or bare repository; `found` returns the current total. Returns whether a limit ended the search.
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
 * Returns links in a git folder and paths named by its configuration. `trees` are the worktrees, since each resolves a relative hooks path.
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

/** A repository may lack a configuration. An empty file changes nothing and can be protected. */
function makeConfigs(folder: string): void {
  if (entryAt(join(folder, "config")) === undefined && isGitFolder(folder)) makeEmpty(join(folder, "config"));
  // Git reads one more file per worktree if this extension is set.
  const settings = configOf(folder);
  if (!settings.some(({ section, key }) => section === "extensions" && key === "worktreeconfig")) return;
  for (const at of [folder, ...existing(folder, "worktrees/*")]) makeEmpty(join(at, "config.worktree"));
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch {
    // The file exists, or nobody in the sandbox can create it either.
  }
}

function makeEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx" });
  } catch {
    // The file exists, or nobody can create it.
  }
}

function listed(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Reads a one-line file without its line end; undefined if unreadable. */
function textIn(path: string): string | undefined {
  try {
    return readUntrustedFile(realpathSync(path), { maxBytes: maxLinkBytes }).replace(/\r?\n$/, "");
  } catch {
    return undefined;
  }
}
