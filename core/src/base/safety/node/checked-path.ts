import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isInside } from "../../node/folders.js";
import { plainName, sensitiveFile } from "../sensitive-file.js";
import type { SensitiveFile } from "../sensitive-files.js";

/** A path that an agent named, and where it really leads. */
export interface CheckedPath {
  /** Absolute and normalised, as named. */
  readonly path: string;
  /** Links followed, also those that lead to what does not exist yet. */
  readonly real: string;
  /** `real` is one of the roots or inside one. */
  readonly isInside: boolean;
  /** Why it is more than a file of the project, by either of its names. */
  readonly sensitive: SensitiveFile | undefined;
  /** It belongs to a Git repository's own data. */
  readonly isGitInternal: boolean;
}

/** In characters, on Windows; elsewhere fewer. */
const maxPath = 32_767;

/** Checks `path`, which may be relative to `base`, against `roots` (absolute). Rejects where links cannot be followed: circles, folders that may not be read. */
export async function checkPath(path: string, base: string, roots: readonly string[]): Promise<CheckedPath> {
  if (path.length > maxPath) throw new Error(`A path of ${path.length} characters is longer than any system takes.`);
  const named = resolve(base, path);
  const real = await realPath(named);
  const realRoots = await Promise.all(roots.map((root) => realPath(resolve(root))));
  const names = [namesBelow(named, roots), namesBelow(real, realRoots)];
  const found = names.flatMap(({ all, below }) => sensitiveFile(all, below) ?? []);
  return {
    path: named,
    real,
    isInside: realRoots.some((root) => isInside(real, root)),
    // Of two reasons the one that is asked for more often.
    sensitive: found.find(({ risk }) => risk === "secret") ?? found[0],
    isGitInternal: names.some(({ all, below }) => all.slice(below).some(isGitFolder)),
  };
}

/** Whether an agent may not do this unasked: outside of the roots, or with a file of the list that says so. */
export function needsLeave({ isInside, sensitive }: CheckedPath, use: "read" | "write"): boolean {
  return !isInside || (sensitive !== undefined && (use === "write" || sensitive.risk === "secret"));
}

/** Where `path` leads with all links followed; what does not exist keeps its name. */
async function realPath(path: string, depth = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const target = await readlink(path).catch(() => undefined);
  // Writing through a link creates what it leads to.
  if (target !== undefined && depth < 40) return realPath(resolve(parent, target), depth + 1);
  return join(await realPath(parent, depth), basename(path));
}

/** The names of a path, and how many of them lead to the root that it is in. */
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

/** No file has a name that is too long, such as the message of a commit. */
const missing: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && missing.has(String(error.code));
}
