/** What a program with the words of git runs by an alias that stands in these words. */
interface GitReading {
  /** The words of git as if the alias were written out. */
  readonly words?: readonly string[];
  /** What it gives a shell. */
  readonly script?: string;
  /** Why it cannot be told what it runs: a clause for people. */
  readonly unread?: string;
}

/** Options before the command that take the next word. */
const takesWord: ReadonlySet<string> = new Set([
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"],
]);

/** Reads `words`, the first of which is git, by what its `-c` says of aliases (git(1), git-config(1)). */
export function readGit([git = "git", ...words]: readonly string[]): GitReading {
  const aliases = new Map<string, string>();
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[at]) {
    const [option = "", joined] = /^(--[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word];
    const value = joined ?? (takesWord.has(option) ? words[at + 1] : undefined);
    if (option === "--exec-path" && joined !== undefined)
      return { unread: "it has git take its commands from a folder" };
    const [, key = "", said = ""] = /^([^=]*)=?(.*)$/s.exec(value ?? "") ?? [];
    if (option === "--config-env" && isLeading(key)) return { unread: "a variable says what it has git run" };
    if (option === "-c") {
      if (/^include/i.test(key)) return { unread: "it has git read a file of configuration" };
      if (/^alias\./i.test(key)) aliases.set(nameOf(key), said);
    }
    at += joined === undefined && takesWord.has(option) ? 2 : 1;
  }
  const [verb = "", ...rest] = words.slice(at);
  const key = verb === "config" ? rest.findIndex((word) => isLeading(word)) : -1;
  if (key !== -1 && key < rest.length - 1) return { unread: "it gives git an alias for later" };
  const alias = aliases.get(verb.toLowerCase());
  if (alias === undefined) return {};
  // Most likely a variable's; git itself takes none here.
  if (alias.startsWith("!")) {
    return { script: [alias.slice(1), ...rest].join(" "), unread: "its alias of git is a command line of its own" };
  }
  if (/[$`]/.test(alias)) return { unread: "it cannot be told what its alias of git stands for" };
  // A name that stands for itself is not looked for again.
  const others = words.slice(0, at).filter((word, index, all) => {
    const pair = all[index - 1] === "-c" ? word : word === "-c" ? (all[index + 1] ?? "") : "";
    return !/^alias\./i.test(pair) || nameOf(pair.replace(/=.*$/s, "")) !== verb.toLowerCase();
  });
  const written = alias
    .replace(/["'\\]/g, "")
    .split(/\s+/)
    .filter(Boolean);
  // Git splits it by rules of its own, so that what is quoted may begin elsewhere.
  const isQuoted = /["'\\]/.test(alias);
  return {
    words: [git, ...others, ...written, ...rest],
    ...(isQuoted && { unread: "it cannot be told what its alias of git stands for" }),
  };
}

/**
 * Why a variable that is set for a program keeps what git does there from being told; undefined where it does not. `assignment` is as it is
 * written: it may be quoted, and a shell adds to what was there by `+=`.
 */
export function leadsGit(assignment: string): string | undefined {
  const [, name = "", , value = ""] = /^(\w+)\+?=(["']?)(.*)\2$/s.exec(assignment) ?? [];
  const isLed = /^GIT_(?:EXEC_PATH|CONFIG(?:_(?:COUNT|KEY_\d+|VALUE_\d+|PARAMETERS|GLOBAL|SYSTEM))?)$/.test(name);
  return isLed && value !== "/dev/null" ? `the variable ${name} can change what git runs` : undefined;
}

function isLeading(key: string): boolean {
  return /^(?:alias\.|include)/i.test(key);
}

/** `p` of `alias.p`, and of `alias.p.command`. */
function nameOf(key: string): string {
  return key
    .toLowerCase()
    .replace(/^alias\./, "")
    .replace(/\.command$/, "");
}
