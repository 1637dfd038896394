import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { processTree } from "../../../base/node/process-tree.js";
import { besideHead, mayBeHead } from "./git-folder.js";
import { entryAt } from "./machine-paths.js";
import type { AppearedEntry } from "./missing-paths.js";

/** Result for a file that could redirect git. `movedTo` is a path; `failed` is the system's reason why moving failed. */
type Became = "stays" | "gone" | { readonly movedTo: string } | { readonly failed: string };

/**
 * Ends a sandbox in which a file has appeared that makes git read configuration and hooks from another folder: anyone's next
 * `git status` would run them. Such files are `commondir` in a git folder or in a submodule's git folder, and the names that turn
 * the folder around `.git` into a repository once `.git` is broken: `HEAD`, and if that exists, `objects`, `refs` and `commondir`.
 * A mount can't protect a missing name.
 *
 * The file may belong to the user's own new checkout, so it is moved aside instead of deleted, and a `HEAD` that git ignores stays.
 * Returns the text for the user; undefined if `path` isn't such a file, `harmless` for a folder named `HEAD`, which git ignores.
 * `pid` is the sandbox's process. Call the function again, since the file may reappear before the whole sandbox has ended.
 */
export function stopDivertedGit(
  path: string,
  pid: number,
  { entry, ends }: AppearedEntry,
): { readonly endReason: string } | "harmless" | undefined {
  const [folder, name] = [dirname(path), basename(path)];
  if (name === "HEAD" && entry.isDirectory()) return "harmless";
  const isBeside = (name === "HEAD" || besideHead.some((one) => one === name)) && existsSync(join(folder, ".git"));
  if (!ends && name !== "commondir" && !isBeside) return undefined;
  // Kill the whole process tree: bubblewrap's second process survives if the first ends too early.
  processTree(pid, { isConfined: true }).kill();
  return { endReason: divertedText(path, setAside(path)) };
}

function setAside(path: string): Became {
  if (entryAt(path) === undefined) return "gone";
  if (basename(path) === "HEAD" && !mayBeHead(path)) return "stays";
  const movedTo = `${path}.set-aside-${randomBytes(4).toString("hex")}`;
  try {
    allowChanges(dirname(path));
    renameSync(path, movedTo);
    return { movedTo };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return code === "ENOENT" ? "gone" : { failed: code };
  }
}

/** Makes the folder writable, in case the agent protected the file by changing the folder's mode. */
function allowChanges(folder: string): void {
  const entry = entryAt(folder);
  if (entry?.isDirectory() && (entry.mode & 0o300) !== 0o300) chmodSync(folder, entry.mode | 0o300);
}

function divertedText(path: string, became: Became): string {
  const what = `"${path}" appeared, which can make git use hooks and configuration from elsewhere`;
  const look = "Check what else is new in the folder before you use git there";
  if (became === "gone") return `${what}. It is gone again. ${look}.`;
  if (became === "stays") {
    return (
      `${what}. It was left in place, because git ignores its content. If it is yours, restart the agent: it can then read the file, ` +
      "but not write it."
    );
  }
  if ("failed" in became) {
    return `${what}, and could not be moved aside (${became.failed}). Remove it before you use git there.`;
  }
  return `${what}. It was renamed to "${became.movedTo}". ${look}. If it is yours, rename it back, and restart the agent.`;
}
