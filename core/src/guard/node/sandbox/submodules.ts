import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../node/read-untrusted-file.js";
import { isWithin } from "../../sandbox/sandbox-plan.js";

/**
 * Git's own folders of submodules below a folder `modules` of a repository, as the configuration beside it names them. That is held in
 * every sandbox, so that no agent can leave one out. Whether they are there is not said.
 */
export function namedSubmodules(modules: string): readonly string[] {
  const own = dirname(modules);
  // A linked work tree is named by the configuration of its repository.
  const text = configOf(own) + (basename(dirname(own)) === "worktrees" ? `\n${configOf(dirname(dirname(own)))}` : "");
  const sections = text.matchAll(/^[ \t]*\[submodule[ \t]+"((?:[^"\\\n]|\\.)*)"\]/gim);
  return Array.from(sections, ([, name = ""]) => join(modules, name.replace(/\\(.)/g, "$1"))).filter(
    (path) => path !== modules && isWithin(path, modules),
  );
}

/** The file by which git finds its own folder of a submodule, `module`: in the work tree that its configuration names. */
export function gitLinkOf(module: string): string | undefined {
  const [, quoted, plain = quoted] =
    /^[ \t]*worktree[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|([^"#;\n]*))[ \t\r]*$/im.exec(configOf(module)) ?? [];
  return plain === undefined || plain.trim() === ""
    ? undefined
    : join(resolve(module, plain.trim().replace(/\\(.)/g, "$1")), ".git");
}

/** Longer than any configuration that git itself writes. */
export const maxConfigBytes = 1_048_576;

function configOf(folder: string): string {
  try {
    return readUntrustedFile(realpathSync(join(folder, "config")), { maxBytes: maxConfigBytes });
  } catch {
    return "";
  }
}
