import { execFile } from "node:child_process";
import { join } from "node:path";
import { safeDiffOptions, safeGitEnvironment, safeGitOptions } from "@symposium-dev/core/node";
import type { ReviewedFiles } from "./agent-changes.js";
import type { FileText } from "./engine/file-review.js";

/** More files than this, changed before the turn or by it, are left to version control. */
const maxFiles = 300;

const gitTimeoutMs = 20_000;

/** Asks git, in a folder; undefined where git fails or is not there. Output is text. */
type Git = (folder: string, args: readonly string[]) => Promise<string | undefined>;

/** The user's own git, which starts nothing that the repository's configuration names. */
const systemGit: Git = (folder, args) =>
  new Promise((resolve) => {
    const options = {
      cwd: folder,
      timeout: gitTimeoutMs,
      maxBuffer: 64 * 1024 * 1024,
      windowsHide: true,
      env: safeGitEnvironment(),
    };
    execFile("git", [...safeGitOptions, ...args], options, (error, stdout) => resolve(error ? undefined : stdout));
  });

/** A change that no tool call announced: a formatter, a script, a command of the agent's. */
interface FoundChange {
  readonly path: string;
  readonly before: FileText;
  readonly after: FileText;
}

/**
 * One turn as version control sees it: what the work tree was when it began, to find at its end what commands of the
 * agent changed without saying so. Ignored files are none of its business.
 */
export class GitTurn {
  readonly #git: Git;
  readonly #files: ReviewedFiles;
  readonly #root: string;
  readonly #head: string;
  readonly #before: ReadonlyMap<string, FileText>;

  private constructor(
    git: Git,
    files: ReviewedFiles,
    root: string,
    head: string,
    before: ReadonlyMap<string, FileText>,
  ) {
    this.#git = git;
    this.#files = files;
    this.#root = root;
    this.#head = head;
    this.#before = before;
  }

  /** Undefined where the folder is in no repository with a commit, or has too many changes to keep. */
  static async begin(folder: string, files: ReviewedFiles, git: Git = systemGit): Promise<GitTurn | undefined> {
    const [root, head] = await Promise.all([
      git(folder, ["rev-parse", "--show-toplevel"]),
      git(folder, ["rev-parse", "--verify", "HEAD"]),
    ]);
    if (root === undefined || head === undefined) return undefined;
    const top = root.replace(/\r?\n$/, "");
    const changed = await changedPaths(git, top, head.trim());
    if (changed === undefined || changed.length > maxFiles) return undefined;
    const before = new Map<string, FileText>();
    for (const path of changed) {
      const text = await files.read(path);
      if (text !== undefined) before.set(path, text);
    }
    return new GitTurn(git, files, top, head.trim(), before);
  }

  /** What is different now, but for the paths that `isKnown` knows about already. */
  async end(isKnown: (path: string) => boolean): Promise<FoundChange[]> {
    const changed = (await changedPaths(this.#git, this.#root, this.#head)) ?? [];
    const paths = [...new Set([...changed, ...this.#before.keys()])].filter((path) => !isKnown(path));
    if (paths.length > maxFiles) return [];
    const found: FoundChange[] = [];
    for (const path of paths) {
      const after = await this.#files.read(path);
      if (after === undefined) continue;
      const before = this.#before.has(path) ? (this.#before.get(path) ?? null) : await this.#committed(path);
      if (before !== after) found.push({ path, before, after });
    }
    return found;
  }

  /** The committed text as a checkout would write it; null where the file was not committed. */
  async #committed(path: string): Promise<FileText> {
    const name = path.slice(this.#root.length + 1).replaceAll("\\", "/");
    return (await this.#git(this.#root, ["cat-file", "--filters", `${this.#head}:${name}`])) ?? null;
  }
}

/** Files that differ from a commit, and new ones that are not ignored. Absolute paths. */
async function changedPaths(git: Git, root: string, head: string): Promise<string[] | undefined> {
  const [tracked, untracked] = await Promise.all([
    git(root, ["diff", ...safeDiffOptions, "--name-only", "--no-renames", "-z", head]),
    git(root, ["ls-files", "--others", "--exclude-standard", "-z"]),
  ]);
  if (tracked === undefined || untracked === undefined) return undefined;
  return `${tracked}${untracked}`
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => join(root, name));
}
