import { forEachChild, parse, type SyntaxNode } from "unbash";
import { type GitRuns, runByVariables } from "./programs-run-by-git.js";
import { readGit, verbOfGit } from "./parse-git-command.js";
import { isTooDeep } from "./shell-reading.js";

/** Maximum length in characters; longer command lines aren't parsed. */
const maxLength = 10_000;
const shells: ReadonlySet<string> = new Set("sh bash zsh dash ksh mksh ash fish csh tcsh".split(" "));
/** Programs that run their arguments as a program. Their own options aren't distinguished from that program's words. */
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
/** Programs and shell builtins that treat their arguments only as data. */
const dataPrograms: ReadonlySet<string> = new Set(
  (
    "echo printf grep egrep fgrep rg cat ls head tail wc cut sort uniq tr diff cmp comm cp mv rm mkdir rmdir touch ln chmod chown " +
    "cd pushd popd pwd basename dirname realpath readlink stat file which type whereis jq yq tee true false kill sleep date du df " +
    "tree nl od xxd paste fold column seq test [ read export unset local declare typeset readonly let set shift return exit wait :"
  ).split(" "),
);
/** Builtins that evaluate subscripts in arguments, including `$(…)`: `printf -v 'a[$(x)]'`. */
const subscripted: ReadonlySet<string> = new Set(
  "printf test [ read export unset local declare typeset readonly let wait".split(" "),
);
/** Options by which a program of {@link dataPrograms} runs another program. */
const runsOption = /^--(?:pre|hostname-bin|compress-prog\w*)(?:=|$)/;
/** Git verbs that run nothing except programs named in git's options and settings. */
const dataVerbs: ReadonlySet<string> = new Set(
  (
    "add commit log show diff status blame tag branch checkout switch restore stash merge reset rev-parse rev-list ls-files ls-tree " +
    "grep describe shortlog notes cherry-pick revert mv rm clean config fetch pull push remote init clone help version"
  ).split(" "),
);
/** Programs that read a script from stdin. */
const interpreters: ReadonlySet<string> = new Set(
  "python python2 python3 node bun deno perl ruby php lua tclsh".split(" "),
);

/** Maximum nesting of shells in shells. */
const maxDepth = 3;
/** Maximum number of programs in a pipeline, since each program may run words that any earlier program outputs. */
const maxPipeline = 20;

interface NamedInCommand {
  readonly programs: readonly (readonly string[])[];
  /** Words of each program that reads other programs' output, followed by the words of those other programs. */
  readonly piped: readonly (readonly string[])[];
  readonly redirections: readonly { readonly use: "read" | "write"; readonly path: string }[];
  /** Command lines that git passes to a shell; their programs are also in `programs`. */
  readonly scripts: readonly string[];
  /** Reason why a part couldn't be parsed and may contain more programs, as a clause for display. */
  readonly unread?: string;
}

/**
 * Lists the programs and files named in a command line, for counting and for rules that deny or ask. Must not be used to allow commands:
 * expansions are unknown, and unparseable parts are missing. `given` contains variables that are set outside the text.
 */
export function namedInCommand(text: string, given: Readonly<Record<string, string>> = {}, depth = 0): NamedInCommand {
  const unreadable = [
    depth > maxDepth && `it nests more than ${maxDepth} shells`,
    text.length > maxLength && `it has ${text.length} characters, but only ${maxLength} are read`,
    isTooDeep(text) && "its brackets are nested too deeply",
  ].find((reason) => reason !== false);
  if (unreadable !== undefined) {
    return { programs: [], piped: [], redirections: [], scripts: [], unread: unreadable };
  }
  return new CommandReading(given, depth).read(text);
}

class CommandReading {
  #unread: string | undefined;
  readonly #programs: (readonly string[])[] = [];
  readonly #piped: (readonly string[])[] = [];
  readonly #scripts: string[] = [];
  readonly #redirections: { use: "read" | "write"; path: string }[] = [];
  readonly #variables: (readonly [string, string | undefined])[];

  constructor(
    given: Readonly<Record<string, string>>,
    private readonly depth: number,
  ) {
    this.#variables = Object.entries(given);
  }

  read(text: string): NamedInCommand {
    const { commands, errors = [] } = parse(text);
    for (const statement of commands) this.#visit(statement);
    this.#addRuns(runByVariables(this.#variables));
    if (errors.length > 0) this.#unread ??= "its shell syntax can't be parsed";
    return {
      programs: this.#programs,
      piped: this.#piped,
      redirections: this.#redirections,
      scripts: this.#scripts,
      ...(this.#unread !== undefined && { unread: this.#unread }),
    };
  }

  #visit(node: SyntaxNode): void {
    if (node.type === "Assignment") {
      const isWhole = node.append !== true && node.value.type === "Word";
      this.#variables.push([node.name, isWhole ? node.value.value : undefined]);
    }
    if (node.type === "Command" && node.name) {
      this.#addCommand([node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : [])));
    } else if (node.type === "Redirect" && node.target) {
      this.#redirections.push({ use: node.operator === "<" ? "read" : "write", path: node.target.value });
    }
    if (node.type === "Pipeline") {
      if (node.commands.length > maxPipeline) this.#unread ??= `it has pipelines of more than ${maxPipeline} programs`;
      else this.#piped.push(...pipedPrograms(node.commands.map(plainWords)));
    }
    forEachChild(node, (child) => this.#visit(child));
  }

  #addCommand(words: readonly string[]): void {
    const script = shellScript(words);
    if (script === undefined || isWrapper(words)) this.#programs.push(words);
    const [, verb] = /^git-(.+)$/.exec(programName(words[0] ?? "")) ?? [];
    if (verb !== undefined) this.#addRuns({ programs: [["git", verb, ...words.slice(1)]] });
    if (script !== undefined) this.#addInner(script);
    this.#addGit(words);
    for (const word of words) {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
      if (name !== undefined) this.#variables.push([name, value]);
    }
  }

  #addInner(script: string): void {
    const inner = namedInCommand(script, {}, this.depth + 1);
    this.#programs.push(...inner.programs);
    this.#piped.push(...inner.piped);
    this.#redirections.push(...inner.redirections);
    this.#scripts.push(...inner.scripts);
    this.#unread ??= inner.unread;
  }

  #addRuns(runs: GitRuns, steps = 0): void {
    this.#unread ??= runs.unread;
    for (const script of runs.scripts ?? []) {
      // Several words may lead to the same script; parse it only once.
      if (this.#scripts.includes(script)) continue;
      this.#scripts.push(script);
      this.#addInner(script);
    }
    for (const words of runs.programs ?? []) {
      this.#programs.push(words);
      this.#addGit(words, steps + 1);
    }
  }

  /** Adds the programs that git runs, starting at every word that may be git. `steps` counts expanded aliases. */
  #addGit(words: readonly string[], steps = 0): void {
    const starts = isWrapper(words) ? words.keys() : [0];
    for (const start of starts) {
      if (programName(words[start] ?? "") !== "git") continue;
      if (steps <= maxDepth) this.#addRuns(readGit(words.slice(start)), steps);
      else this.#unread ??= "it has git aliases that refer to each other";
    }
  }
}

function plainWords(node: SyntaxNode): readonly string[] {
  if (node.type !== "Command" || !node.name) return [];
  return [node.name, ...node.suffix].flatMap((word) => (word.type === "Word" ? [word.value] : []));
}

/** Returns `xargs git push` for `echo push | xargs git`, and `at now "git push"` for `echo git push | at now`. */
function pipedPrograms(commands: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const before: string[] = [];
  return commands.flatMap((words) => {
    const read = [...before];
    before.push(...words.slice(1));
    return read.length > 0 && words.length > 0 && !isData(words) ? [[...words, ...read]] : [];
  });
}

function isData(words: readonly string[]): boolean {
  const name = programName(words[0] ?? "");
  if (name === "git") return dataVerbs.has(verbOfGit(words));
  return dataPrograms.has(name) && !words.some((word) => runsOption.test(word));
}

/**
 * Returns the arguments that a program may run: all arguments, or for data programs only arguments with a command substitution in a
 * subscript.
 */
export function spokenWords(words: readonly string[]): readonly string[] {
  if (!isData(words)) return words.slice(1);
  return subscripted.has(programName(words[0] ?? "")) ? words.filter((word) => /\$\(|`/.test(word)) : [];
}

export function namedPrograms(text: string): readonly (readonly string[])[] {
  return namedInCommand(text).programs;
}

/** Returns `git` for `/usr/bin/git` and `GIT.EXE`. */
export function programName(program: string): string {
  return (program.split(/[\\/]/).at(-1) ?? "").toLowerCase().replace(/\.(?:exe|cmd|bat)$/, "");
}

export function isWrapper([program = "", verb = ""]: readonly string[]): boolean {
  const name = programName(program);
  return wrappers.has(name) || runners.has(`${name} ${verb}`);
}

/** Whether a program runs its input as a script, such as the shell in `curl x | sh`. */
export function isShellThatReads(words: readonly string[]): boolean {
  const shell = isWrapper(words) ? words.findIndex(isShell) : 0;
  const name = programName(words[shell] ?? "");
  const rest = words.slice(shell + 1);
  if (!shells.has(name) && !interpreters.has(name)) return false;
  if (rest.some((word) => /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/\w+\/fd\/0)$/.test(word))) return true;
  if (shells.has(name) && rest.some((word) => /^-[A-Za-z]*s/.test(word))) return true;
  return rest.every((word) => word.startsWith("-") && !/^-(?:[vVh]|-(?:version|help|test)\b)/.test(word));
}

/** Returns the script of `bash -lc "…"`, even after `sudo` or `env`. */
export function shellScript(words: readonly string[]): string | undefined {
  const shell = isShell(words[0]) ? 0 : isWrapper(words) ? words.findIndex(isShell) : -1;
  if (shell === -1) return undefined;
  const option = words.findIndex((word, index) => index > shell && /^-[A-Za-z]+$/.test(word) && word.includes("c"));
  return option === -1 ? undefined : words.slice(option + 1).find((word) => !/^[-+]/.test(word));
}

function isShell(word: string | undefined): boolean {
  return shells.has(programName(word ?? ""));
}
