import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { processTree } from "../../../base/node/process-tree.js";
import { besideHead, mayBeHead } from "./git-folder.js";
import { entryAt } from "./machine-paths.js";
import type { AppearedEntry } from "./missing-paths.js";

/** What became of a file by which git could be led elsewhere. `movedTo` is a path, `failed` the system's word for why it could not be moved. */
type Became = "stays" | "gone" | { readonly movedTo: string } | { readonly failed: string };

/**
 * Ends a sandbox in which something has appeared by which git takes configuration and hooks from another folder: the next `git status` of
 * anybody would run what stands there. That is `commondir` in git's own folder, or in that of a submodule, and what makes a repository of
 * the folder around `.git` as soon as that is broken: `HEAD`, and where there was one before, `objects`, `refs` and `commondir`. A name that
 * is not there can be held by no mount.
 *
 * It may be the user's all the same, checked out just now: so it is not deleted but put beside, and a `HEAD` that git makes nothing of stays.
 * Returns what the user is to read of it; undefined where `path` is no such file, and `harmless` for a folder named `HEAD`, of which git makes
 * nothing whatever it holds. `pid` is the sandbox's process, `found` is what has appeared. It may be made once more before all of the sandbox is
 * gone, so this is to be called again.
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
  // Bubblewrap's second process lives on where the first one ends before the second has asked to end with it.
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

/** Undoes a mode by which the agent keeps its file where it is. */
function allowChanges(folder: string): void {
  const entry = entryAt(folder);
  if (entry?.isDirectory() && (entry.mode & 0o300) !== 0o300) chmodSync(folder, entry.mode | 0o300);
}

function divertedText(path: string, became: Became): string {
  const what = `"${path}" appeared, by which git can be led to take hooks and configuration from elsewhere`;
  const look = "Look at what else is new in the folder before you use git there";
  if (became === "gone") return `${what}. It is gone again. ${look}.`;
  if (became === "stays") {
    return `${what}. It stays, since git makes nothing of what it says. If it is yours, start the agent again: it can then read it, and not write it.`;
  }
  if ("failed" in became) {
    return `${what}, and could not be put aside (${became.failed}). Remove it before you use git there.`;
  }
  return `${what}. It is "${became.movedTo}" now. ${look}. If it is yours, rename it back, and start the agent again.`;
}
