import { type GitRuns, isRunByGit, joined, runBySetting, wordsOfAlias } from "./programs-run-by-git.js";

/** Git options before the verb that take the next word as value. */
const takesWord: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
]);
/** Options whose value is a program, as `--exec=x` or `--exec x`. Git accepts unambiguous prefixes. */
const programOptions: readonly string[] = [
  ...["upload-pack", "receive-pack", "exec", "extcmd", "open-files-in-pager", "access-hook", "httpd", "smtp-server"],
  ...[
    "to-cmd",
    "cc-cmd",
    "header-cmd",
    "sendmail-cmd",
    "setup",
    "tree-filter",
    "index-filter",
    "msg-filter",
    "env-filter",
  ],
  ...["commit-filter", "parent-filter", "tag-name-filter"],
];
/** Short forms of options whose value is a program, possibly after other letters, as in `-qu x` and `-ux`. */
const shortOptions: Readonly<Record<string, string>> = {
  clone: "u",
  difftool: "x",
  rebase: "x",
  grep: "O",
  instaweb: "d",
};
/** Git verbs that run another git command given as arguments. */
const outerVerbs: ReadonlySet<string> = new Set(["subtree", "lfs", "annex", "for-each-repo"]);
/** Git verbs equivalent to another verb. */
const otherVerbs: Readonly<Record<string, string>> = { "send-pack": "push", "http-push": "push" };

/**
 * Determines what a git command runs through configuration options and aliases (git(1), git-config(1)); the first word is git. Expands an
 * alias and reads the result as a git command.
 */
export function readGit([git = "git", ...words]: readonly string[]): GitRuns {
  const aliases = new Map<string, string>();
  const found: GitRuns[] = [];
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
    const [option = "", joinedValue] = /^(--[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];
    const value = joinedValue ?? (takesWord.has(option) ? words[at + 1] : undefined);
    if (option === "--exec-path" && joinedValue !== undefined)
      found.push({ unread: "it makes git take its commands from a folder" });
    const [key, said] = settingOf(value ?? "");
    if (option === "--config-env") found.push(runBySetting(key, undefined));
    else if (option === "-c" && /^alias\./i.test(key)) aliases.set(nameOf(key), said);
    else if (option === "-c") found.push(runBySetting(key, said));
    at += joinedValue === undefined && takesWord.has(option) ? 2 : 1;
  }
  const [verb = "", ...rest] = words.slice(at);
  found.push(...runByCommand(verb, rest));
  const alias = aliases.get(verb.toLowerCase());
  // Removes this alias's definition, so that a recursive alias isn't expanded again.
  const others = words.slice(0, at).filter((word, index, all) => {
    const pair = all[index - 1] === "-c" ? word : word === "-c" ? (all[index + 1] ?? "") : "";
    return !/^alias\./i.test(pair) || nameOf(settingOf(pair)[0]) !== verb.toLowerCase();
  });
  if (alias !== undefined) found.push(runByAlias(alias, [git, ...others], rest));
  return joined(found);
}

/** Determines what a git verb runs through its own arguments. */
function runByCommand(verb: string, words: readonly string[]): readonly GitRuns[] {
  const key = verb === "config" ? words.findIndex(isRunByGit) : -1;
  const set = key === -1 ? undefined : words[key + 1];
  const cloned = words.flatMap((word, index) => {
    if (verb !== "clone") return [];
    return /^(?:-c|--config)$/.test(word) ? (words[index + 1] ?? []) : (/^--config=(.*)$/s.exec(word)?.slice(1) ?? []);
  });
  const scripts = words.flatMap((word, index) => programOf(verb, word, words[index + 1]));
  const other = otherVerbs[verb];
  const hasTemplate = ["clone", "init"].includes(verb) && words.some((word) => /^--te[a-z]*(?:=(?!$)|$)/.test(word));
  return [
    { scripts },
    ...(hasTemplate ? [{ unread: "it makes git take hooks from a folder" }] : []),
    ...(outerVerbs.has(verb) ? [{ programs: [["git", ...words]] }] : []),
    ...(other === undefined ? [] : [{ programs: [["git", other, ...words]] }]),
    ...(set === undefined ? [] : [runBySetting(words[key] ?? "", set)]),
    ...cloned.map((pair) => runBySetting(...settingOf(pair))),
  ];
}

/** Returns the command line from an option of `verb`, or from a URL such as `ext::sh -c git% push`. */
function programOf(verb: string, word: string, next: string | undefined): readonly string[] {
  if (word.startsWith("ext::"))
    return [word.slice(5).replace(/%(.)/gs, (_, letter: string) => (letter === " " ? " " : ""))];
  const [, long = "", value] = /^--([a-z-]{2,})(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== "" && programOptions.some((option) => option.startsWith(long))) return [value ?? next ?? ""];
  const short = shortOptions[verb];
  const [, joined] = (short !== undefined && new RegExp(`^-[A-Za-z]*?${short}(.*)$`, "s").exec(word)) || [];
  return joined === undefined ? [] : [joined || (next ?? "")];
}

export function verbOfGit([, ...words]: readonly string[]): string {
  let at = 0;
  while (words[at]?.startsWith("-") === true) at += takesWord.has(words[at] ?? "") ? 2 : 1;
  return words[at] ?? "";
}

function runByAlias(alias: string, git: readonly string[], rest: readonly string[]): GitRuns {
  // The alias probably comes from a variable, because git itself accepts no such alias here.
  if (alias.startsWith("!")) {
    return { scripts: [[alias.slice(1), ...rest].join(" ")], unread: "its git alias runs a separate command line" };
  }
  const words = wordsOfAlias(alias);
  const unread = "its git alias can't be resolved";
  if (words) return { programs: [[...git, ...words, ...rest]] };
  if (/[$`]/.test(alias)) return { unread };
  // Git splits aliases by its own quoting rules, so this split is only a guess.
  const likely = alias
    .replace(/["'\\]/g, "")
    .split(/\s+/)
    .filter(Boolean);
  return { programs: [[...git, ...likely, ...rest]], unread };
}

function settingOf(pair: string): [string, string] {
  const [, key = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
  return [key, value];
}

/** Returns the alias name, such as `p` for `alias.p` and for `alias.p.command`. */
function nameOf(key: string): string {
  return key
    .toLowerCase()
    .replace(/^alias\./, "")
    .replace(/\.command$/, "");
}
