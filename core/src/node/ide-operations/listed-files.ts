import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

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
  "__pycache__",
]);

export interface ListedFiles {
  /** Absolute, in order. */
  readonly paths: readonly string[];
  /** False where there are too many. */
  readonly isWhole: boolean;
}

/** The files below a folder that version control does not ignore; without git those that do not look generated. */
export async function listedFiles(folder: string, signal: AbortSignal): Promise<ListedFiles> {
  const listed = await filesOfGit(folder, signal);
  if (listed) return { paths: listed.sort(), isWhole: true };
  const paths: string[] = [];
  await collect(folder, paths, signal);
  return { paths: paths.sort(), isWhole: paths.length < mostFiles };
}

/** By the names of the folders in a path that is relative. */
export function looksGenerated(path: string): boolean {
  const folders = path.split(/[\\/]/).slice(0, -1);
  return folders.some((name) => name.startsWith(".") || generated.has(name));
}

/** Undefined where git cannot tell. */
async function filesOfGit(folder: string, signal: AbortSignal): Promise<string[] | undefined> {
  // A repository's own settings must not start a program.
  const settings = ["-c", "core.fsmonitor=false", "-C", folder];
  const args = [...settings, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  try {
    const { stdout } = await run("git", args, {
      signal,
      timeout: timeoutMs,
      maxBuffer: maxOutputBytes,
      windowsHide: true,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" },
    });
    return stdout.split("\0").flatMap((name) => (name === "" ? [] : [join(folder, name)]));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
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
