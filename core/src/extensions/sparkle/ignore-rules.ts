import { Glob } from "../../base/glob.js";
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
      if (rule?.patterns.some((pattern) => pattern.matches(path)) === true) isIgnored = !rule.isNegated;
    }
  }
  return isIgnored;
}

function toRule(line: string): { readonly patterns: readonly Glob[]; readonly isNegated: boolean } | undefined {
  const isNegated = line.startsWith("!");
  const glob = withoutEndSpace(isNegated ? line.slice(1) : line).replace(/\/$/, "");
  if (glob === "" || (!isNegated && glob.startsWith("#"))) return undefined;
  // Braces are plain in these files.
  const plain = glob.replace(/^\//, "").replace(/[{}]/g, "\\$&");
  const whole = `${glob.includes("/") ? "" : "**/"}${plain}`;
  return { patterns: [new Glob(whole), new Glob(`${whole}/**`)], isNegated };
}

/** A space behind a backslash stays. */
function withoutEndSpace(line: string): string {
  const text = line.trimEnd();
  return text.endsWith("\\") && text !== line ? `${text} ` : text;
}
