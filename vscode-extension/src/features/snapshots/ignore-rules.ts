import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { readUntrustedBytes, foldersUp } from "@symposium-dev/core/node";
import ignore, { type Ignore } from "ignore";

/** Never part of a snapshot: data of version control, and what package managers bring back. */
const skippedNames: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj", "node_modules"]);

/** As git compares names on the disks that are usual there. */
const likeGit = { ignorecase: process.platform === "win32" || process.platform === "darwin" };

/** Rules of one file, which hold for paths below `base`. Paths are relative to the snapshot's folder, with slashes. */
interface Rules {
  /** What to put before a path so that it is relative to the folder of the rules; undefined where `base` cuts it. */
  readonly above: string;
  readonly base: string;
  readonly ignore: Ignore;
}

/** The rules that hold in one folder; the innermost decides. Where the keys are the same, so are the rules. */
export interface FolderRules {
  readonly key: string;
  readonly all: readonly Rules[];
}

/** What a user wants in snapshots, and what git is told besides the files in the folder. */
export interface IgnoreOptions {
  /** Patterns as in `.gitignore`: what they name is taken although it is ignored. */
  readonly included: readonly string[];
  /** The user's own file of patterns for all repositories. */
  readonly excludesFile?: string | undefined;
}

/** Which files of a folder git would ignore, by the files that say so, in the folder and above it; git itself is not asked. */
export class IgnoreRules {
  readonly #included: Ignore;
  /** Words before the first wildcard of included patterns: folders on the way to them are looked into. */
  readonly #prefixes: readonly string[];
  #global: FolderRules | undefined;

  constructor(
    private readonly root: string,
    private readonly options: IgnoreOptions,
  ) {
    this.#included = ignore(likeGit).add([...options.included]);
    this.#prefixes = options.included
      .map((pattern) => pattern.replace(/^\//, "").replace(/[*?[].*$/, ""))
      .filter((prefix) => prefix.slice(0, -1).includes("/"));
  }

  /** The rules that hold in the root itself, without its own `.gitignore`. */
  ofRoot(): FolderRules {
    const folders = foldersUp(resolve(this.root));
    const top = folders.find((folder) => existsSync(join(folder, ".git")));
    const own: FolderRules = { key: digest(this.options.included.join("\n")), all: [] };
    const global = read(own, this.options.excludesFile ?? defaultExcludesFile(), "", "");
    this.#global = global;
    if (top === undefined || top === resolve(this.root)) return global;
    let rules = read(global, excludeFileOf(top), "", slashed(relative(top, this.root)));
    for (const folder of folders.slice(1, folders.indexOf(top) + 1).reverse())
      rules = read(rules, join(folder, ".gitignore"), "", slashed(relative(folder, this.root)));
    return rules;
  }

  /** The rules of a folder by those of the one that it is in. A repository within is a world of its own. */
  inFolder(path: string, outer: FolderRules, names: ReadonlySet<string>): FolderRules {
    const isRepository = names.has(".git");
    let rules = isRepository && path !== "" ? (this.#global ?? outer) : outer;
    if (isRepository) rules = read(rules, excludeFileOf(join(this.root, path)), path, "");
    if (names.has(".gitignore")) rules = read(rules, join(this.root, path, ".gitignore"), path, "");
    return rules;
  }

  isSkipped(path: string, name: string, isFolder: boolean, rules: FolderRules): boolean {
    const tested = isFolder ? `${path}/` : path;
    if (this.#included.ignores(tested)) return name === ".git";
    if (skippedNames.has(name)) return true;
    if (!isIgnored(tested, rules)) return false;
    return !isFolder || !this.#prefixes.some((prefix) => prefix.startsWith(tested));
  }
}

function read(outer: FolderRules, file: string, base: string, above: string): FolderRules {
  let text: string;
  try {
    text = readSmallText(file);
  } catch {
    return outer;
  }
  const rules: Rules = { above: above === "" ? "" : `${above}/`, base, ignore: ignore(likeGit).add(quickRules(text)) };
  return { key: digest(`${outer.key}\0${base}\0${above}\0${text}`), all: [...outer.all, rules] };
}

/** Reads a file of a repository: an agent can put a pipe in its place. Throws if it is no file of a reasonable length. */
export function readSmallText(file: string): string {
  return readUntrustedBytes(file, { maxBytes: 1024 * 1024, links: "follow" }).toString("utf8");
}

/** Stars in one name of a rule: each further one may multiply the time that a name takes. */
const maxStars = 3;

/** The rules of a `.gitignore` that can be matched quickly. A rule with more stars is left out, so that its files are not ignored. */
export function quickRules(text: string): string {
  const isQuick = (line: string): boolean =>
    line.split("**").length - 1 <= maxStars &&
    line.split("/").every((name) => name.split(/\*+/).length - 1 <= maxStars);
  return text.split(/\r?\n/).filter(isQuick).join("\n");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isIgnored(path: string, { all }: FolderRules): boolean {
  for (let index = all.length - 1; index >= 0; index--) {
    const rule = all[index];
    if (!rule) continue;
    const inner = rule.base === "" ? path : path.slice(rule.base.length + 1);
    const { ignored, unignored } = rule.ignore.test(`${rule.above}${inner}`);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function defaultExcludesFile(): string {
  const { XDG_CONFIG_HOME, HOME, USERPROFILE } = process.env;
  const config = XDG_CONFIG_HOME === undefined || XDG_CONFIG_HOME === "" ? undefined : XDG_CONFIG_HOME;
  return join(config ?? join(HOME ?? USERPROFILE ?? "", ".config"), "git", "ignore");
}

/** A repository's own list of patterns; that of a worktree or a submodule is where its `.git` file says. */
function excludeFileOf(repository: string): string {
  const git = join(repository, ".git");
  let folder = git;
  try {
    const target = /^gitdir: (.*)/.exec(readSmallText(git))?.[1];
    if (target !== undefined) folder = resolve(repository, target.trim());
    const common = readSmallText(join(folder, "commondir")).trim();
    folder = resolve(folder, common);
  } catch {
    // A folder, or one without a common one: it has the list itself.
  }
  return join(folder, "info", "exclude");
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
