import { attempt } from "../../../base/attempt.js";
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
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
  const limits = { maxBytes: maxConfigBytes };
  return attempt(() => gitSettings(readUntrustedFile(realpathSync(join(folder, name)), limits))) ?? [];
}

/** One `key = value` of a git configuration. Section and key are in lowercase. */
interface GitSetting {
  readonly section: string;
  /** Subsection of the setting; empty if there is none. */
  readonly subsection: string;
  readonly key: string;
  readonly value: string;
}

const header = /\[[ \t]*([\w.-]{1,100})(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]/y;
const name = /([A-Za-z][\w-]{0,100})[ \t]*(=?)[ \t]*/y;
const value = /(?:"(?:[^"\\\n]|\\[^])*"|\\[^]|[^"\\\n#;])*/y;

/** Parses a git configuration (git-config(1), "Syntax"); skips invalid lines. Takes linear time, since the files are untrusted. */
function gitSettings(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let [section, subsection] = ["", ""];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    take(/[\s\uFEFF]+/y);
    const opened = take(header);
    if (opened) {
      const [first = "", ...rest] = (opened[1] ?? "").split(".");
      section = first.toLowerCase();
      subsection = opened[2] === undefined ? rest.join(".").toLowerCase() : opened[2].replace(/\\(.)/g, "$1");
      continue;
    }
    const named = take(name);
    if (named) {
      // A key without `=` has the value true.
      const written = named[2] === "=" ? (take(value)?.[0] ?? "") : "true";
      settings.push({ section, subsection, key: (named[1] ?? "").toLowerCase(), value: unquoted(written) });
    }
    take(/[^\n]*/y);
  }
  return settings;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\n": "" };

function unquoted(written: string): string {
  const trimmed = written.trimEnd();
  return trimmed.replace(/\\([^])|"/g, (_match, escaped: string | undefined) =>
    escaped === undefined ? "" : (escapes[escaped] ?? escaped),
  );
}
