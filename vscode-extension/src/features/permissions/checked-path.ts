import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** A path that an agent named, and where it really leads. */
export interface CheckedPath {
  /** Absolute and normalised, as named. */
  readonly path: string;
  /** Links followed, also those that lead to what does not exist yet. */
  readonly real: string;
  /** `real` is one of the roots or inside one. */
  readonly isInside: boolean;
  /** It may hold secrets, or settings that make programs run. */
  readonly isSensitive: boolean;
  /** It belongs to a Git repository's own data. */
  readonly isGitInternal: boolean;
}

const sensitiveFolders = new Set(
  ".git .vscode .idea .ssh .gnupg .aws .azure .kube .docker .husky .symposium .claude .codex .gemini .cursor".split(
    " ",
  ),
);
const sensitiveFiles =
  /^(?:\.env(?:\..+)?|\.envrc|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.netrc|_netrc|\.git-credentials|\.gitconfig|\.gitmodules|\.gitattributes|\.mcp\.json|\.(?:bash|zsh)rc|\.zshenv|\.(?:bash_)?profile|\.bash_login|\.zprofile|id_[a-z0-9]+|authorized_keys|credentials(?:\.json)?|.+\.(?:pem|key|p12|pfx|keystore|kdbx|code-workspace))$/;
const harmlessFiles = /^\.env\.(?:example|sample|template|dist)$/;

/** Checks `path`, which may be relative to `base`, against `roots` (absolute). Rejects only for circles of links. */
export async function checkPath(path: string, base: string, roots: readonly string[]): Promise<CheckedPath> {
  const named = resolve(base, path);
  const real = await realPath(named);
  const realRoots = await Promise.all(roots.map((root) => realPath(resolve(root))));
  const segments = [...new Set([...outsideRoots(named, roots), ...outsideRoots(real, realRoots)])].map(plainName);
  return {
    path: named,
    real,
    isInside: realRoots.some((root) => isInside(real, root)),
    isSensitive: [named, real].some(isSensitiveFile) || segments.some((name) => sensitiveFolders.has(name)),
    isGitInternal: segments.includes(".git"),
  };
}

/** `path` is `folder` or stands in it; both absolute. */
export function isInside(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
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

/** The names below the root: a workspace that itself stands in `~/.config/…` is not sensitive as a whole. */
function outsideRoots(path: string, roots: readonly string[]): string[] {
  const root = roots.find((one) => isInside(path, one));
  return (root === undefined ? path : relative(root, path)).split(sep);
}

function isSensitiveFile(path: string): boolean {
  const name = plainName(basename(path));
  return sensitiveFiles.test(name) && !harmlessFiles.test(name);
}

/** Windows ignores case, streams after a colon, and blanks and dots at the end of names. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
