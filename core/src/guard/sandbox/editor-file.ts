import { matchesStars } from "../../base/star-pattern.js";
import { protectedInWorkspace } from "./protected-names.js";
import { isWithin } from "./sandbox-plan.js";

/**
 * Returns why the editor may not read or write a file for a sandboxed agent; undefined if it may. The editor runs outside the sandbox, so
 * the agent's limits are checked here; `place` and `roots` have links resolved.
 */
export function refusedEditorFile(
  { place, roots }: { readonly place: string; readonly roots: readonly string[] },
  isWritten: boolean,
): string | undefined {
  const owners = roots.filter((root) => isWithin(place, root));
  if (owners.length === 0) return "it is outside this session's folders";
  if (!isWritten) return undefined;
  const isLater = owners.some((root) => runsLater(place.slice(root.length + 1).split("/")));
  return isLater ? "it can run code later, and is read-only for agents in a sandbox" : undefined;
}

function runsLater(names: readonly string[]): boolean {
  // A repository may be in a subfolder of the workspace.
  const inner = names.lastIndexOf(".git");
  const paths = inner > 0 ? [names, names.slice(inner)] : [names];
  return paths.some(
    (path) => isBesideGit(path) || protectedInWorkspace.some((pattern) => begins(path, pattern.split("/"))),
  );
}

/** Returns whether the file is a linked worktree's `.git` file, or the `HEAD` that makes the root a bare repository. */
function isBesideGit(names: readonly string[]): boolean {
  return names.length === 1 && (names[0] === ".git" || names[0] === "HEAD");
}

function begins(names: readonly string[], [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const [name, ...left] = names;
  if (name === undefined) return false;
  if (first === "**") return begins(left, rest) || begins(left, [first, ...rest]);
  return matchesStars(first, name) && begins(left, rest);
}
