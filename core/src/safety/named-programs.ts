import { forEachChild, parse, type SyntaxNode } from "unbash";
import { type GitRuns, runByVariables } from "./git-programs.js";
import { readGit } from "./git-reading.js";

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
  /** Command lines that git gives a shell since it is told so; their programs are among the others. */
  readonly scripts: readonly string[];
  /** Why a part has not been read, so that more may stand in there: a clause for people. */
  readonly unread?: string;
}

/**
 * What a command line names, for those who count what runs, and for rules that refuse or ask. It allows nothing: what expansions
 * come to is not known, and what cannot be read is left out. `given` are variables that are set for it beside its text.
 */
export function namedInCommand(text: string, given: Readonly<Record<string, string>> = {}, depth = 0): NamedInCommand {
  if (text.length > maxLength || depth > maxDepth) {
    const unread =
      depth > maxDepth
        ? `it starts more than ${maxDepth} shells in each other`
        : `it has ${text.length} characters, and ${maxLength} are read`;
    return { programs: [], redirections: [], scripts: [], unread };
  }
  let unread: string | undefined;
  const programs: (readonly string[])[] = [];
  const scripts: string[] = [];
  const variables: (readonly [string, string | undefined])[] = Object.entries(given);
  const redirections: { use: "read" | "write"; path: string }[] = [];
  const addInner = (script: string): void => {
    const inner = namedInCommand(script, {}, depth + 1);
    programs.push(...inner.programs);
    redirections.push(...inner.redirections);
    scripts.push(...inner.scripts);
    unread ??= inner.unread;
  };
  const addRuns = (runs: GitRuns, steps = 0): void => {
    unread ??= runs.unread;
    for (const script of runs.scripts ?? []) {
      // What stands behind several words that may be git is read once.
      if (scripts.includes(script)) continue;
      scripts.push(script);
      addInner(script);
    }
    for (const words of runs.programs ?? []) {
      programs.push(words);
      addGit(words, steps + 1);
    }
  };
  /** What git runs by its words, wherever these begin; each of `steps` is an alias. */
  const addGit = (words: readonly string[], steps = 0): void => {
    const starts = isWrapper(words) ? words.keys() : [0];
    for (const start of starts) {
      if (programName(words[start] ?? "") !== "git") continue;
      if (steps <= maxDepth) addRuns(readGit(words.slice(start)), steps);
      else unread ??= "it has aliases of git that stand for each other";
    }
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Assignment") {
      const isWhole = node.append !== true && node.value.type === "Word";
      variables.push([node.name, isWhole ? node.value.value : undefined]);
    }
    if (node.type === "Command" && node.name) {
      const words = [node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : []));
      const script = shellScript(words);
      if (script === undefined || isWrapper(words)) programs.push(words);
      if (script !== undefined) addInner(script);
      addGit(words);
      for (const word of words) {
        const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
        if (name !== undefined) variables.push([name, value]);
      }
    } else if (node.type === "Redirect" && node.target) {
      redirections.push({ use: node.operator === "<" ? "read" : "write", path: node.target.value });
    }
    forEachChild(node, visit);
  };
  const { commands, errors = [] } = parse(text);
  for (const statement of commands) visit(statement);
  addRuns(runByVariables(variables));
  if (errors.length > 0) unread ??= "it is not written as a shell reads it";
  return { programs, redirections, scripts, ...(unread !== undefined && { unread }) };
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
  const option = words.findIndex((word, index) => index > shell && /^-[A-Za-z]+$/.test(word) && word.includes("c"));
  return option === -1 ? undefined : words.slice(option + 1).find((word) => !/^[-+]/.test(word));
}

function isShell(word: string | undefined): boolean {
  return shells.has(programName(word ?? ""));
}
