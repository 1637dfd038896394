import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { readUntrustedBytes, foldersUp } from "@symposium-dev/core/node";
import ignore, { type Ignore } from "ignore";

/** Names that are never part of a snapshot: version control data and reinstallable packages. */
const skippedNames: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".jj", "node_modules"]);

/** Compares names as git does: ignoring case on Windows and macOS. */
const likeGit = { ignorecase: process.platform === "win32" || process.platform === "darwin" };

/** Ignore rules from one file, for paths below `base`. Paths are relative to the snapshot's folder, with slashes. */
interface Rules {
  /** Prefix that makes a path relative to the folder of the rules. Used for rules from a folder above the snapshot's folder. */
  readonly above: string;
  readonly base: string;
  readonly ignore: Ignore;
}

/** Ignore rules of a folder; the innermost matching rule decides. Rules with equal keys are equal. */
export interface FolderRules {
  readonly key: string;
  readonly all: readonly Rules[];
}

export interface IgnoreOptions {
  readonly included: readonly string[];
  readonly excludesFile?: string | undefined;
}

/** Evaluates git's ignore files in and above a folder without running git. */
export class IgnoreRules {
  readonly #included: Ignore;
  /** Literal prefixes of patterns for included files. An ignored folder is still walked if it may contain such files. */
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

  /** Returns a folder's ignore rules, which extend its parent's rules. In a nested repository, only the global rules are extended. */
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

/** Reads a repository file that an agent may have replaced, for example by a pipe. Throws unless it is a regular file of at most 1 MiB. */
function readSmallText(file: string): string {
  return readUntrustedBytes(file, { maxBytes: 1024 * 1024, links: "follow" }).toString("utf8");
}

/** Maximum wildcards per path segment of a rule, since each can multiply the matching time. */
const maxStars = 3;

/** Returns the rules of a `.gitignore` that match quickly. Rules with too many wildcards are dropped, so their files aren't ignored. */
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

function excludeFileOf(repository: string): string {
  const git = join(repository, ".git");
  let folder = git;
  try {
    const target = /^gitdir: (.*)/.exec(readSmallText(git))?.[1];
    if (target !== undefined) folder = resolve(repository, target.trim());
    const common = readSmallText(join(folder, "commondir")).trim();
    folder = resolve(folder, common);
  } catch {
    // Either `.git` is a folder, or the repository's data has no file `commondir`.
  }
  return join(folder, "info", "exclude");
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
