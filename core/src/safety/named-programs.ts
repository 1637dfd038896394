import { forEachChild, parse, type SyntaxNode } from "unbash";
import { leadsGit, readGit } from "./git-aliases.js";

/** Longer command lines are read by nobody. */
const maxLength = 10_000;
const shells: ReadonlySet<string> = new Set("sh bash zsh dash ksh mksh ash fish csh tcsh".split(" "));
/** Programs that run the words after them; where the program's own words begin is not worth knowing. */
const wrappers: ReadonlySet<string> = new Set(
  (
    "env nice nohup timeout gtimeout xargs sudo doas su runuser pkexec command builtin exec eval time setsid stdbuf ionice chrt taskset " +
    "watch parallel entr find fd busybox chroot unshare nsenter systemd-run strace ltrace caffeinate flock script ssh docker " +
    "podman npx pnpx bunx start cmd powershell pwsh"
  ).split(" "),
);
const runners: ReadonlySet<string> = new Set(
  (
    "npm exec,npm x,pnpm exec,pnpm dlx,yarn exec,yarn dlx,bun x,uv run,pipx run,poetry run,pdm run,bundle exec,mise exec," +
    "direnv exec,nix run,nix shell,git submodule,git rebase,git bisect"
  ).split(","),
);
/** Shells that somebody put into shells. */
const maxDepth = 3;

/** What stands in a command line, wherever: behind `cd x &&`, in loops, in `bash -lc "…"`. */
interface NamedInCommand {
  /** The words of each program. */
  readonly programs: readonly (readonly string[])[];
  /** Files that its output or its input is led to. */
  readonly redirections: readonly { readonly use: "read" | "write"; readonly path: string }[];
  /** Why a part has not been read, so that more may stand in there: a clause for people. */
  readonly unread?: string;
}

/**
 * What a command line names, for those who count what runs, and for rules that refuse or ask. It allows nothing: what expansions
 * come to is not known, and what cannot be read is left out.
 */
export function namedInCommand(text: string, depth = 0): NamedInCommand {
  if (text.length > maxLength || depth > maxDepth) {
    const unread =
      depth > maxDepth
        ? `it starts more than ${maxDepth} shells in each other`
        : `it has ${text.length} characters, and ${maxLength} are read`;
    return { programs: [], redirections: [], unread };
  }
  let unread: string | undefined;
  const programs: (readonly string[])[] = [];
  const redirections: { use: "read" | "write"; path: string }[] = [];
  const addInner = (script: string): void => {
    const inner = namedInCommand(script, depth + 1);
    programs.push(...inner.programs);
    redirections.push(...inner.redirections);
    unread ??= inner.unread;
  };
  /** What git runs by an alias among its words, wherever these begin. */
  const addAliases = (words: readonly string[], steps = 0): void => {
    const starts = isWrapper(words) ? words.keys() : [0];
    for (const start of starts) {
      if (programName(words[start] ?? "") !== "git") continue;
      const read = readGit(words.slice(start));
      unread ??= read.unread;
      if (read.script !== undefined) addInner(read.script);
      if (!read.words) continue;
      programs.push(read.words);
      if (steps < maxDepth) addAliases(read.words, steps + 1);
      else unread ??= "it has aliases of git that stand for each other";
    }
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Assignment") unread ??= leadsGit(text.slice(node.pos, node.end));
    if (node.type === "Command" && node.name) {
      const words = [node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : []));
      const script = shellScript(words);
      if (script === undefined || isWrapper(words)) programs.push(words);
      if (script !== undefined) addInner(script);
      addAliases(words);
      for (const word of words) unread ??= leadsGit(word);
    } else if (node.type === "Redirect" && node.target) {
      redirections.push({ use: node.operator === "<" ? "read" : "write", path: node.target.value });
    }
    forEachChild(node, visit);
  };
  const { commands, errors = [] } = parse(text);
  for (const statement of commands) visit(statement);
  if (errors.length > 0) unread ??= "it is not written as a shell reads it";
  return { programs, redirections, ...(unread !== undefined && { unread }) };
}

/** The words of each program that stands in a command line. */
export function namedPrograms(text: string): readonly (readonly string[])[] {
  return namedInCommand(text).programs;
}

/** `git` of `/usr/bin/git`, and of `GIT.EXE`. */
export function programName(program: string): string {
  return (program.split(/[\\/]/).at(-1) ?? "").toLowerCase().replace(/\.(?:exe|cmd|bat)$/, "");
}

/** Whether a program with these words runs others that stand in them. */
export function isWrapper([program = "", verb = ""]: readonly string[]): boolean {
  const name = programName(program);
  return wrappers.has(name) || runners.has(`${name} ${verb}`);
}

/** Whether a program with these words is a shell that runs what it reads, such as that of `curl x | sh`. */
export function isShellThatReads(words: readonly string[]): boolean {
  return isShell(words[0]) && words.slice(1).every((word) => word.startsWith("-"));
}

/** The `…` of `bash -lc "…"`, also behind `sudo` or `env`. */
export function shellScript(words: readonly string[]): string | undefined {
  const shell = isShell(words[0]) ? 0 : isWrapper(words) ? words.findIndex(isShell) : -1;
  if (shell === -1) return undefined;
  const option = words.findIndex((word, index) => index > shell && /^-[A-Za-z]*c[A-Za-z]*$/.test(word));
  return option === -1 ? undefined : words.slice(option + 1).find((word) => !/^[-+]/.test(word));
}

function isShell(word: string | undefined): boolean {
  return shells.has(programName(word ?? ""));
}
