import { Glob } from "../base/glob.js";

/** Of a pattern, in characters. */
const maxLength = 1_000;

/** A file as a rule sees it. */
export interface GuardPath {
  readonly use: "read" | "write";
  /** Absolute, as it was named. */
  readonly path: string;
  /** Absolute, with links followed. */
  readonly real: string;
  /** It stands in the session's folders, and is neither a secret nor a setting. */
  readonly isOrdinary: boolean;
  /** It is a secret, or a setting that makes tools run programs: only a pattern that names it allows it. */
  readonly isSensitive: boolean;
}

/** Where patterns begin. All absolute. */
export interface PatternFolders {
  /** The session's folders. */
  readonly roots: readonly string[];
  readonly home: string;
}

/**
 * Whether `pattern` matches a file by one of its names, as a line of .gitignore would: without a slash anywhere, else from the
 * session's folders; a folder stands for all in it, and `/**` for these folders themselves, too. `~/x` begins in the user's folder, `//x` at the root of the disk.
 */
export function matchesPath(
  pattern: string,
  { path, real }: Pick<GuardPath, "path" | "real">,
  folders: PatternFolders,
): boolean {
  return [path, real].some((name) => matchesName(slashed(pattern), slashed(name), folders));
}

/** Whether `pattern` names this file by its own name, and not by a folder or stars. */
export function isNamedBy(pattern: string, { real }: Pick<GuardPath, "real">): boolean {
  return slashed(pattern).split("/").at(-1) === slashed(real).split("/").at(-1);
}

/** Why `pattern` is none; undefined where it is one. */
export function faultOfPathPattern(pattern: string): string | undefined {
  const names = slashed(pattern).split("/");
  const shown = JSON.stringify(pattern);
  if (pattern.startsWith("!"))
    return `The path ${shown} begins with "!": a rule says what it matches, not what it leaves out.`;
  if (names.every((name) => ["", "~", "."].includes(name))) {
    return `The path ${shown} names no file: write a name, a path from the session's folder, ~/x or //x.`;
  }
  if (pattern.length <= maxLength) return undefined;
  return `The path ${shown.slice(0, 40)}… has more than ${maxLength} characters: write a shorter one.`;
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

/** The rest of a path in `folder`; undefined where it is not in it. */
function below(name: string, folder: string): string | undefined {
  const base = folder.replace(/(?<!\/)\/+$/, "");
  return name.startsWith(`${base}/`) ? name.slice(base.length + 1) : undefined;
}

/** Letters count alike in both cases, as they do on many disks. */
function isMatch(pattern: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  const glob = pattern.replace(/^\.\//, "");
  return [glob, `${glob}/**`].some((one) => new Glob(one, { ignoreCase: true }).matches(name));
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^([A-Za-z]):\//, "/$1:/");
}
