import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { type GitSetting, gitSettings } from "../../sandbox/git-config.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";

/**
 * Returns the git folders of submodules below a repository's `modules` folder, as named by the configuration next to that folder; they may
 * not exist. The configuration is read-only in every sandbox, so an agent can't remove an entry.
 */
export function namedSubmodules(modules: string): readonly string[] {
  const own = dirname(modules);
  // For a linked worktree, the repository's configuration names the submodules.
  const linked = basename(dirname(own)) === "worktrees" ? configOf(dirname(dirname(own))) : [];
  const names = [...configOf(own), ...linked].flatMap(({ section, subsection }) =>
    section === "submodule" ? [subsection] : [],
  );
  return names.map((name) => join(modules, name)).filter((path) => path !== modules && isWithin(path, modules));
}

/** Returns the `.git` file in the worktree of the submodule `module`, from which git finds the submodule's git folder. */
export function gitLinkOf(module: string): string | undefined {
  const tree = configOf(module).findLast(({ section, key }) => section === "core" && key === "worktree")?.value;
  return tree === undefined || tree === "" ? undefined : join(resolve(module, tree), ".git");
}

/** Maximum bytes of a configuration file, more than git ever writes. */
const maxConfigBytes = 1_048_576;

/** Reads a configuration file in a git folder; returns no settings if the file is unreadable. */
export function configOf(folder: string, name = "config"): readonly GitSetting[] {
  try {
    return gitSettings(readUntrustedFile(realpathSync(join(folder, name)), { maxBytes: maxConfigBytes }));
  } catch {
    return [];
  }
}
