import { Glob } from "../../base/glob.js";
import type { IgnoreFile } from "./services.js";

/** Git ignore rule for Sparkle's workspace folder. */
export const ignoreLine = ".sparkle-space/";

const folderName = ".sparkle-space";

/**
 * Whether Git ignores `.sparkle-space` in the workspace. The last rule that matches the folder or a parent takes precedence (gitignore(5)).
 */
export function isSparkleSpaceIgnored(files: readonly IgnoreFile[]): boolean {
  let isIgnored = false;
  for (const { below, text } of files) {
    const paths = withFolders(below === "" ? folderName : `${below}/${folderName}`);
    for (const line of text.split(/\r?\n/)) {
      const rule = toRule(line);
      if (paths.some((path) => rule?.pattern.matches(path))) isIgnored = !rule?.isNegated;
    }
  }
  return isIgnored;
}

/** Returns the path and all its parents. */
function withFolders(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function toRule(line: string): { readonly pattern: Glob; readonly isNegated: boolean } | undefined {
  const isNegated = line.startsWith("!");
  const glob = withoutEndSpace(isNegated ? line.slice(1) : line).replace(/\/$/, "");
  if (glob === "" || (!isNegated && glob.startsWith("#"))) return undefined;
  // Escape braces, since Git's ignore patterns have no brace syntax.
  const plain = glob.replace(/^\//, "").replace(/[{}]/g, "\\$&");
  return { pattern: new Glob(`${glob.includes("/") ? "" : "**/"}${plain}`), isNegated };
}

/** Removes trailing spaces, but keeps a space that follows a backslash. */
function withoutEndSpace(line: string): string {
  const text = line.trimEnd();
  return text.endsWith("\\") && text !== line ? `${text} ` : text;
}
