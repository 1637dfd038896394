import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { type GitSetting, gitSettings } from "../../sandbox/git-config.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";

/**
 * Returns the git folders of submodules below the `modules` folder of a repository, as the adjacent configuration names them; they may not
 * exist. The configuration is read-only in every sandbox, so an agent can't omit one.
 */
export function namedSubmodules(modules: string): readonly string[] {
  const own = dirname(modules);
  // The repository's configuration names linked worktrees.
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

/** Longer than any configuration that git writes. */
const maxConfigBytes = 1_048_576;

/** Reads a configuration file in a git folder; empty if unreadable. */
export function configOf(folder: string, name = "config"): readonly GitSetting[] {
  try {
    return gitSettings(readUntrustedFile(realpathSync(join(folder, name)), { maxBytes: maxConfigBytes }));
  } catch {
    return [];
  }
}
