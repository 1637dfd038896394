import { Glob } from "../base/glob.js";

/** Maximum length of a path pattern in characters. */
const maxLength = 1_000;

export interface GuardPath {
  readonly use: "read" | "write";
  /** Absolute path that the agent named. */
  readonly path: string;
  /** Absolute path of the file, with links resolved. */
  readonly real: string;
  /** Whether the file is in the session's folders and neither a secret nor a setting. */
  readonly isOrdinary: boolean;
  /**
   * Whether the file is a secret, or a setting that makes tools run programs. Only a pattern that contains the file's name allows such a
   * file.
   */
  readonly isSensitive: boolean;
}

/** Absolute paths of the folders that patterns can be relative to. */
export interface PatternFolders {
  readonly roots: readonly string[];
  readonly home: string;
}

/**
 * Returns whether `pattern` matches one of a file's two paths. As in .gitignore, a pattern without a slash matches anywhere, any other is
 * relative to the session's folders, and a folder includes its contents. `/**` matches everything in the session's folders; `~/x` starts in
 * the home folder, and `//x` at the file system root.
 */
export function matchesPath(
  pattern: string,
  { path, real }: Pick<GuardPath, "path" | "real">,
  folders: PatternFolders,
): boolean {
  return [path, real].some((name) => matchesName(slashed(pattern), slashed(name), folders));
}

/** Returns whether the last part of `pattern` is the file's name, without wildcards. */
export function isNamedBy(pattern: string, { real }: Pick<GuardPath, "real">): boolean {
  return slashed(pattern).split("/").at(-1) === slashed(real).split("/").at(-1);
}

/** Returns why `pattern` is invalid; undefined if valid. */
export function faultOfPathPattern(pattern: string): string | undefined {
  const names = slashed(pattern).split("/");
  const shown = JSON.stringify(pattern);
  if (pattern.startsWith("!"))
    return `The path ${shown} begins with "!", but a rule names what it matches, not what it excludes.`;
  if (names.every((name) => ["", "~", "."].includes(name))) {
    return `The path ${shown} names no file: write a name, a path from the session's folder, ~/x or //x.`;
  }
  if (pattern.length <= maxLength) return undefined;
  return `The path ${shown.slice(0, 40)}… is longer than ${maxLength} characters: shorten it.`;
}

function matchesName(pattern: string, name: string, { roots, home }: PatternFolders): boolean {
  const trimmed = pattern.replace(/(?<!\/)\/+$/, "");
  if (trimmed.startsWith("~/")) return isMatch(trimmed.slice(2), below(name, slashed(home)));
  if (trimmed.startsWith("//")) return isMatch(trimmed.slice(2), below(name, ""));
  if (!trimmed.includes("/")) return isMatch(`**/${trimmed}`, below(name, ""));
  if (trimmed.startsWith("**/")) return isMatch(trimmed, below(name, ""));
  if (trimmed === "/**" && roots.some((root) => slashed(root) === name)) return true;
  return roots.some((root) => isMatch(trimmed.replace(/^\//, ""), below(name, slashed(root))));
}

/** Returns `name` relative to `folder`; undefined if it is outside the folder. */
function below(name: string, folder: string): string | undefined {
  const base = folder.replace(/(?<!\/)\/+$/, "");
  return name.startsWith(`${base}/`) ? name.slice(base.length + 1) : undefined;
}

/** Returns whether a path matches a pattern. Ignores case, as many file systems do. */
function isMatch(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const glob = pattern.replace(/^\.\//, "");
  return [glob, `${glob}/**`].some((one) => new Glob(one, { ignoreCase: true }).matches(name));
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^([A-Za-z]):\//, "/$1:/");
}
