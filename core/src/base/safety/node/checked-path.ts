import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isInside } from "../../node/folders.js";
import { plainName, sensitiveFile } from "../sensitive-file.js";
import type { SensitiveFile } from "../sensitive-files.js";

export interface CheckedPath {
  /** Absolute, normalized path as named by the agent. */
  readonly path: string;
  /** Path with all links resolved, including links to missing targets. */
  readonly real: string;
  /** Whether `real` is a root or inside one. */
  readonly isInside: boolean;
  /** Reason why `path` or `real` is sensitive; undefined for ordinary files. */
  readonly sensitive: SensitiveFile | undefined;
  readonly isGitInternal: boolean;
}

/** Maximum path length on Windows, in characters; other systems allow less. */
const maxPath = 32_767;

/**
 * Checks `path`, relative to `base`, against the absolute `roots`. Rejects if links can't be resolved, for example cycles or unreadable
 * folders.
 */
export async function checkPath(path: string, base: string, roots: readonly string[]): Promise<CheckedPath> {
  if (path.length > maxPath) throw new Error(`A path of ${path.length} characters is too long for any system.`);
  const named = resolve(base, path);
  const real = await realPath(named);
  const realRoots = await Promise.all(roots.map((root) => realPath(resolve(root))));
  const names = [namesBelow(named, roots), namesBelow(real, realRoots)];
  const found = names.flatMap(({ all, below }) => sensitiveFile(all, below) ?? []);
  return {
    path: named,
    real,
    isInside: realRoots.some((root) => isInside(real, root)),
    // Of two reasons, prefers `secret`, which also requires permission for reading.
    sensitive: found.find(({ risk }) => risk === "secret") ?? found[0],
    isGitInternal: names.some(({ all, below }) => all.slice(below).some(isGitFolder)),
  };
}

/** Whether the access requires permission. This is so outside the roots, for writing a sensitive file, and for reading a secret. */
export function needsLeave({ isInside, sensitive }: CheckedPath, use: "read" | "write"): boolean {
  return !isInside || (sensitive !== undefined && (use === "write" || sensitive.risk === "secret"));
}

async function realPath(path: string, depth = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && missing.has(String(error.code)))) throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const target = await readlink(path).catch(() => undefined);
  // Writing through a dangling link creates its target, so the link is followed.
  if (target !== undefined && depth < 40) return realPath(resolve(parent, target), depth + 1);
  return join(await realPath(parent, depth), basename(path));
}

/** Returns the segments of a path, with the number of segments that lead to its root. */
function namesBelow(
  path: string,
  roots: readonly string[],
): { readonly all: readonly string[]; readonly below: number } {
  const root = roots.find((one) => isInside(path, one));
  const all = namesOf(path);
  return { all, below: root === undefined ? 0 : Math.min(namesOf(root).length, all.length) };
}

function namesOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== "");
}

function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~\d)$/.test(plainName(name));
}

/** An overlong name, such as a commit message, can't be a file. */
const missing: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);
