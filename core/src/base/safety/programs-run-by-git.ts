import { matchesStars } from "../star-pattern.js";

/** Programs and scripts that git runs because of its arguments or configuration. */
export interface GitRuns {
  readonly programs?: readonly (readonly string[])[];
  /** Command lines that git passes to a shell, possibly with further arguments. */
  readonly scripts?: readonly string[];
  /** Reason why it is unknown which programs git runs, as a clause for display. */
  readonly unread?: string;
}

/** Placeholder for a program's unknown arguments. */
export const laterWords = "\0";

/** `shell`: command line. `program`: path. `marked`: command line after `!`. `elsewhere`: folder or file that names other programs. */
type Kind = "shell" | "program" | "marked" | "helper" | "elsewhere";

/** Configuration keys in lower case (git-config(1)) and variables (git(1)) by which git runs programs. */
const table: readonly {
  readonly kind: Kind;
  readonly keys: readonly string[];
  readonly variables?: readonly string[];
}[] = [
  {
    kind: "shell",
    keys: [
      ...[
        "core.pager",
        "pager.*",
        "core.editor",
        "sequence.editor",
        "core.sshcommand",
        "core.fsmonitor",
        "core.gitproxy",
      ],
      ...["diff.external", "diff.*.command", "diff.*.textconv", "interactive.difffilter", "core.alternaterefscommand"],
      ...["merge.*.driver", "filter.*.clean", "filter.*.smudge", "filter.*.process", "gpg.ssh.defaultkeycommand"],
      ...[
        "difftool.*.cmd",
        "difftool.*.path",
        "mergetool.*.cmd",
        "mergetool.*.path",
        "browser.*.cmd",
        "browser.*.path",
      ],
      ...["man.*.cmd", "man.*.path", "trailer.*.command", "trailer.*.cmd", "tar.*.command", "hook.*.command"],
      ...["remote.*.uploadpack", "remote.*.receivepack", "uploadpack.packobjectshook", "imap.tunnel"],
      ...["sendemail.smtpserver", "sendemail.*cmd"],
    ],
    variables: [
      ...["GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL", "GIT_SSH_COMMAND"],
      ...["GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND"],
    ],
  },
  {
    kind: "program",
    keys: ["core.askpass", "gpg.program", "gpg.*.program"],
    variables: ["GIT_SSH", "GIT_ASKPASS", "SSH_ASKPASS"],
  },
  { kind: "marked", keys: ["submodule.*.update"] },
  { kind: "helper", keys: ["credential.helper", "credential.*.helper"] },
  {
    kind: "elsewhere",
    keys: ["core.hookspath", "init.templatedir", "include.path", "includeif.*.path"],
    variables: [
      ...["GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_CONFIG", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"],
      "GIT_CONFIG_PARAMETERS",
    ],
  },
];

export function isRunByGit(key: string): boolean {
  return isAlias(key) || kindOf(key) !== undefined;
}

/** Determines what git runs because of a setting, once the related operation happens. `value` is undefined if unknown. */
export function runBySetting(key: string, value: string | undefined): GitRuns {
  const unread = `the setting ${key} can change what git runs`;
  if (/[$`]/.test(key)) return { unread: "it can't be determined which setting git gets" };
  if (isAlias(key)) return runByAlias(value);
  return run(kindOf(key), value, unread);
}

/** Determines what git runs because of the given environment variables; an undefined value is unknown. Ignores all other variables. */
export function runByVariables(variables: readonly (readonly [string, string | undefined])[]): GitRuns {
  const values = new Map<string, (string | undefined)[]>();
  for (const [name, value] of variables) values.set(name, [...(values.get(name) ?? []), value]);
  return joined(
    variables.flatMap(([name, value]): readonly GitRuns[] => {
      const unread = { unread: `the variable ${name} can change what git runs` };
      const [, number] = /^GIT_CONFIG_KEY_(\d+)$/.exec(name) ?? [];
      if (number !== undefined) {
        if (value === undefined) return [unread];
        return (values.get(`GIT_CONFIG_VALUE_${number}`) ?? [undefined]).map((one) => runBySetting(value, one));
      }
      if (name === "GIT_CONFIG_COUNT") {
        const count = /^\d{1,2}$/.test(value ?? "") ? Number(value) : undefined;
        const keys = Array.from({ length: count ?? 0 }, (_, index) => values.has(`GIT_CONFIG_KEY_${index}`));
        return count === undefined || keys.includes(false) ? [unread] : [];
      }
      return [run(table.find((row) => row.variables?.includes(name))?.kind, value, unread.unread)];
    }),
  );
}

export function joined(all: readonly GitRuns[]): GitRuns {
  const unread = all.find((one) => one.unread !== undefined)?.unread;
  return {
    programs: all.flatMap(({ programs = [] }) => programs),
    scripts: all.flatMap(({ scripts = [] }) => scripts),
    ...(unread !== undefined && { unread }),
  };
}

/** Splits an alias into words. Undefined if git might split it differently. */
export function wordsOfAlias(alias: string): readonly string[] | undefined {
  return /["'\\$`]/.test(alias) ? undefined : alias.split(/\s+/).filter(Boolean);
}

/** Handles an alias defined for later use, with unknown arguments. */
function runByAlias(alias: string | undefined): GitRuns {
  const unread = "it defines a git alias for later use";
  if (alias?.startsWith("!")) return { scripts: [alias.slice(1)], unread };
  const words = alias === undefined ? undefined : wordsOfAlias(alias);
  return words ? { programs: [["git", ...words, laterWords]] } : { unread };
}

function run(kind: Kind | undefined, value: string | undefined, unread: string): GitRuns {
  if (kind === undefined || value === "") return {};
  if (value === undefined) return { unread };
  const marked = value.startsWith("!") ? value.slice(1) : undefined;
  switch (kind) {
    case "shell":
      return { scripts: [value] };
    case "program":
      return { programs: [[value]] };
    case "marked":
      return marked === undefined ? {} : { scripts: [marked] };
    case "helper":
      return { scripts: [marked ?? (/^[/~]/.test(value) ? value : `git credential-${value}`)] };
    case "elsewhere":
      return value === "/dev/null" ? {} : { unread };
  }
}

function kindOf(key: string): Kind | undefined {
  return table.find(({ keys }) => keys.some((pattern) => matchesStars(pattern, key.toLowerCase())))?.kind;
}

function isAlias(key: string): boolean {
  return /^alias\./i.test(key);
}
