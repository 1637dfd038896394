import picomatch from "picomatch";

/** A file as a rule sees it. */
export interface GuardPath {
  readonly use: "read" | "write";
  /** Absolute, as it was named. */
  readonly path: string;
  /** Absolute, with links followed. */
  readonly real: string;
  /** It stands in the session's folders, and is neither a secret nor a setting. */
  readonly isOrdinary: boolean;
}

/** Where patterns begin. All absolute. */
export interface PatternFolders {
  /** The session's folders. */
  readonly roots: readonly string[];
  readonly home: string;
}

/**
 * Whether `pattern` matches a file by one of its names, as a line of .gitignore would: without a slash anywhere, else from the
 * session's folders; a folder stands for all in it. `~/x` begins in the user's folder, `//x` at the root of the disk.
 */
export function matchesPath(
  pattern: string,
  { path, real }: Pick<GuardPath, "path" | "real">,
  folders: PatternFolders,
): boolean {
  return [path, real].some((name) => matchesName(slashed(pattern), slashed(name), folders));
}

function matchesName(pattern: string, name: string, { roots, home }: PatternFolders): boolean {
  if (pattern.startsWith("~/")) return isMatch(pattern.slice(2), below(name, slashed(home)));
  if (pattern.startsWith("//")) return isMatch(pattern.slice(2), below(name, ""));
  const trimmed = pattern.replace(/\/+$/, "");
  if (!trimmed.includes("/")) return isMatch(`**/${trimmed}`, below(name, ""));
  if (trimmed.startsWith("**/")) return isMatch(trimmed, below(name, ""));
  return roots.some((root) => isMatch(trimmed.replace(/^\//, ""), below(name, slashed(root))));
}

/** The rest of a path in `folder`; undefined where it is not in it. */
function below(name: string, folder: string): string | undefined {
  const base = folder.replace(/\/+$/, "");
  return name.startsWith(`${base}/`) ? name.slice(base.length + 1) : undefined;
}

/** Letters count alike in both cases, as they do on many disks. */
function isMatch(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const options = { dot: true, nocase: true };
  return picomatch.isMatch(name, pattern, options) || picomatch.isMatch(name, `${pattern}/**`, options);
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^([A-Za-z]):\//, "/$1:/");
}
