import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { safeGitEnvironment, safeGitOptions } from "../safe-git.js";

const run = promisify(execFile);
const timeoutMs = 10_000;
const maxOutputBytes = 64 * 1024 * 1024;
/** Of folders without version control. */
const mostFiles = 50_000;
const generated: ReadonlySet<string> = new Set([
  "node_modules",
  "target",
  "dist",
  "build",
  "out",
  "vendor",
  "venv",
  ".venv",
  ".tox",
  ".next",
  ".gradle",
  "__pycache__",
]);

export interface ListedFiles {
  /** Absolute, in order. */
  readonly paths: readonly string[];
  /** False where there are too many. */
  readonly isWhole: boolean;
}

/**
 * The files below a folder: those that git tracks, and of the others those that neither git ignores nor look generated,
 * since a new project may have no .gitignore yet.
 */
export async function listedFiles(folder: string, signal: AbortSignal): Promise<ListedFiles> {
  const listed = await filesOfGit(folder, signal);
  if (listed) return { paths: listed.sort(), isWhole: true };
  const paths: string[] = [];
  await collect(folder, paths, signal);
  return { paths: paths.sort(), isWhole: paths.length < mostFiles };
}

/** By the names of the folders in a path that is relative. */
export function looksGenerated(path: string): boolean {
  return foldersOf(path).some((name) => name.startsWith(".") || generated.has(name));
}

/** Whether a relative path lies in a folder that builds and package tools fill: with git, what it tracks there counts. */
export function isInBuildFolder(path: string): boolean {
  return foldersOf(path).some((name) => generated.has(name));
}

/** The files, absolute, that git tracks in such folders; none where git cannot tell. */
export async function trackedInBuildFolders(folder: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const folders = [...generated].map((name) => `:(glob)**/${name}/**`);
  const names = await namesOfGit(folder, ["--cached", "--", ...folders], signal).catch(() => []);
  signal.throwIfAborted();
  return new Set(names.map((name) => join(folder, name)));
}

function foldersOf(path: string): readonly string[] {
  return path.split(/[\\/]/).slice(0, -1);
}

/** Undefined where git cannot tell. */
async function filesOfGit(folder: string, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const [tracked, others] = await Promise.all([
      namesOfGit(folder, ["--cached"], signal),
      namesOfGit(folder, ["--others"], signal),
    ]);
    const names = new Set([...tracked, ...others.filter((name) => !isInBuildFolder(name))]);
    return [...names].map((name) => join(folder, name));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function namesOfGit(folder: string, which: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const settings = [...safeGitOptions, "-C", folder];
  const args = [...settings, "ls-files", "-z", "--exclude-standard", "--deduplicate", ...which];
  const { stdout } = await run("git", args, {
    signal,
    timeout: timeoutMs,
    maxBuffer: maxOutputBytes,
    windowsHide: true,
    env: safeGitEnvironment(),
  });
  return stdout.split("\0").filter((name) => name !== "");
}

async function collect(folder: string, found: string[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (found.length >= mostFiles) return;
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile()) found.push(join(folder, entry.name));
    else if (entry.isDirectory() && !generated.has(entry.name)) await collect(join(folder, entry.name), found, signal);
  }
}
