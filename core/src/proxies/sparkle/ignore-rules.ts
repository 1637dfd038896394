import type { IgnoreFile } from "./services.js";

/** The line that keeps Sparkle's workspace folder out of git. */
export const ignoreLine = ".sparkle-space/";

const folderName = ".sparkle-space";

/** Whether git's rules keep `.sparkle-space` in the workspace out: the last rule that matches it, or a folder it is in, decides (gitignore(5)). */
export function isSparkleSpaceIgnored(files: readonly IgnoreFile[]): boolean {
  let isIgnored = false;
  for (const { below, text } of files) {
    const path = below === "" ? folderName : `${below}/${folderName}`;
    for (const line of text.split(/\r?\n/)) {
      const rule = toRule(line);
      if (rule?.pattern.test(path) === true) isIgnored = !rule.isNegated;
    }
  }
  return isIgnored;
}

function toRule(line: string): { readonly pattern: RegExp; readonly isNegated: boolean } | undefined {
  const isNegated = line.startsWith("!");
  const glob = (isNegated ? line.slice(1) : line).replace(/(?<!\\)\s+$/, "").replace(/\/$/, "");
  if (glob === "" || (!isNegated && glob.startsWith("#"))) return undefined;
  const isAnchored = glob.includes("/");
  try {
    const pattern = `^${isAnchored ? "" : "(?:.*/)?"}${toPattern(glob.replace(/^\//, ""))}(?:/.*)?$`;
    return { pattern: new RegExp(pattern), isNegated };
  } catch {
    return undefined;
  }
}

function toPattern(glob: string): string {
  return glob.replace(/\*\*\/|\/\*\*|\*+|\?|\[!?[^\]]*\]|\\.|[.+^${}()|\\/]/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "/**") return "/.*";
    if (part.startsWith("*")) return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.startsWith("[")) return part.replace(/^\[!/, "[^");
    const character = part.length === 2 ? part.slice(1) : part;
    return /\w/.test(character) ? character : `\\${character}`;
  });
}
