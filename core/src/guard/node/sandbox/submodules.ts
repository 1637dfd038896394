import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { type GitSetting, gitSettings } from "../../sandbox/git-config.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";

/**
 * Git's own folders of submodules below a folder `modules` of a repository, as the configuration beside it names them. That is held in
 * every sandbox, so that no agent can leave one out. Whether they are there is not said.
 */
export function namedSubmodules(modules: string): readonly string[] {
  const own = dirname(modules);
  // A linked work tree is named by the configuration of its repository.
  const linked = basename(dirname(own)) === "worktrees" ? configOf(dirname(dirname(own))) : [];
  const names = [...configOf(own), ...linked].flatMap(({ section, subsection }) =>
    section === "submodule" ? [subsection] : [],
  );
  return names.map((name) => join(modules, name)).filter((path) => path !== modules && isWithin(path, modules));
}

/** The file by which git finds its own folder of a submodule, `module`: in the work tree that its configuration names. */
export function gitLinkOf(module: string): string | undefined {
  const tree = configOf(module).findLast(({ section, key }) => section === "core" && key === "worktree")?.value;
  return tree === undefined || tree === "" ? undefined : join(resolve(module, tree), ".git");
}

/** Longer than any configuration that git itself writes. */
const maxConfigBytes = 1_048_576;

/** The settings of the configuration in one of git's own folders. */
export function configOf(folder: string, name = "config"): readonly GitSetting[] {
  try {
    return gitSettings(readUntrustedFile(realpathSync(join(folder, name)), { maxBytes: maxConfigBytes }));
  } catch {
    return [];
  }
}
