import { copyFile, mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { UserGit } from "./user-git.js";

export interface ChangedPath {
  readonly path: string;
  /**
   * Kind of the entry. `link` and `submodule` apply if the old or the new entry is of this kind; `mode` means that only the executable bit
   * changed.
   */
  readonly kind: "file" | "link" | "submodule" | "mode";
  readonly wasThere: boolean;
  /** New executable bit of a file whose content and executable bit both changed. */
  readonly canRun?: boolean;
}

/** Returns the paths that differ from a commit, sorted and without ignored paths. */
export async function changedSince(git: UserGit, top: string, commit: string): Promise<readonly ChangedPath[]> {
  const tree = await treeOf(git, top);
  const words = ["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", commit, tree];
  const fields = (await git.run(top, words)).split("\0");
  const changed: ChangedPath[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [facts = "", path = ""] = fields.slice(at, at + 2);
    const [before = "", after = "", oldId, newId] = facts.slice(1).split(" ");
    const kind = kindOf(before, after, oldId === newId);
    const isThroughout = [before, after].every((mode) => mode.startsWith("100"));
    const canRun = kind === "file" && isThroughout && before !== after ? after === "100755" : undefined;
    changed.push({ path, kind, wasThere: !/^0+$/.test(before), ...(canRun !== undefined && { canRun }) });
  }
  return changed;
}

/** Writes a worktree's files to a Git tree without changing its index. Returns the tree id. */
export async function treeOf(git: UserGit, top: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "symposium-index-"));
  try {
    const index = join(folder, "index");
    // Copy the index, so that Git reads only files that have changed.
    const own = (await git.run(top, ["rev-parse", "--git-path", "index"])).replace(/\r?\n$/, "");
    await copyFile(resolve(top, own), index);
    // Round the index's time down: Git only re-reads files at least as new as the index, and would miss a change of equal size in the same
    // second.
    const { mtimeMs } = await stat(resolve(top, own));
    await utimes(index, Math.floor(mtimeMs) / 1_000, Math.floor(mtimeMs) / 1_000);
    const call = { env: { GIT_INDEX_FILE: index } };
    // `git add` would run `git status` in submodules, whose configuration can name programs.
    const [changed, others] = await Promise.all([
      git.run(top, ["diff-files", "--name-status", "-z", "--ignore-submodules=dirty"], call),
      git.run(top, ["ls-files", "--others", "--exclude-standard", "-z"], call),
    ]);
    const { gone, there } = byState(changed);
    const { files, repositories, unborn } = await untracked(git, top, others);
    const update = async (options: readonly string[], paths: readonly string[]): Promise<void> => {
      const input = paths.flatMap((path) => (path === "" ? [] : [`${path}\0`])).join("");
      if (input !== "") await git.run(top, ["update-index", ...options, "-z", "--stdin"], { ...call, input });
    };
    await update(["--force-remove"], gone);
    await update(["--add", "--remove", "--replace"], [...there, ...files, ...repositories]);
    // Git can't record a nested repository that has no commit, so record the worktree's HEAD in its place.
    const head = unborn.length > 0 ? await headOf(git, top) : undefined;
    const entries = unborn.map((path) => `160000 ${head ?? ""}\t${path}\0`).join("");
    if (head !== undefined) await git.run(top, ["update-index", "-z", "--index-info"], { ...call, input: entries });
    return (await git.run(top, ["write-tree"], call)).trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Parses `PATH NUL` entries of untracked paths. Paths of nested repositories end with a slash; `unborn` are nested repositories without a
 * commit.
 */
async function untracked(
  git: UserGit,
  top: string,
  listed: string,
): Promise<Readonly<Record<"files" | "repositories" | "unborn", readonly string[]>>> {
  const paths = listed.split("\0");
  const inner = paths.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  const heads = await Promise.all(inner.map((path) => headOf(git, join(top, path))));
  return {
    files: paths.filter((path) => !path.endsWith("/")),
    repositories: inner.filter((_, at) => heads[at] !== undefined),
    unborn: inner.filter((_, at) => heads[at] === undefined),
  };
}

/** Returns the HEAD commit, or undefined before the first commit. */
function headOf(git: UserGit, folder: string): Promise<string | undefined> {
  return git.ask(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]);
}

/** Parses Git's `STATE NUL PATH NUL` entries of changed files. */
function byState(listed: string): { readonly gone: readonly string[]; readonly there: readonly string[] } {
  const fields = listed.split("\0");
  const [gone, there]: [string[], string[]] = [[], []];
  for (let at = 0; at + 1 < fields.length; at += 2) (fields[at] === "D" ? gone : there).push(fields[at + 1] ?? "");
  return { gone, there };
}

function kindOf(before: string, after: string, isSameContent: boolean): ChangedPath["kind"] {
  const modes = [before, after];
  if (modes.includes("160000")) return "submodule";
  if (modes.includes("120000")) return "link";
  return isSameContent ? "mode" : "file";
}

/** Files of a commit, checked out with line end conversion and filters into a temporary folder until disposed. */
export class CommitFiles implements AsyncDisposable {
  private constructor(private readonly folder: string) {}

  static async of(git: UserGit, top: string, commit: string, paths: readonly string[]): Promise<CommitFiles> {
    const folder = await mkdtemp(join(tmpdir(), "symposium-commit-"));
    const files = new CommitFiles(folder);
    try {
      const call = { env: { GIT_INDEX_FILE: join(folder, "index") } };
      await git.run(top, ["read-tree", commit], call);
      const prefix = `--prefix=${files.pathOf("").replaceAll("\\", "/")}/`;
      const input = paths.map((path) => `${path}\0`).join("");
      if (paths.length > 0)
        await git.run(top, ["checkout-index", "--quiet", "-z", "--stdin", prefix], { ...call, input });
      return files;
    } catch (error) {
      await files[Symbol.asyncDispose]();
      throw error;
    }
  }

  pathOf(path: string): string {
    return join(this.folder, "files", path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
