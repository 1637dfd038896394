import { existsSync } from "node:fs";
import { join } from "node:path";
import { foldersUp } from "./folders.js";
import { type AskOptions, askProgram, type ProgramAnswer } from "./ask-program.js";
import { minimalEnvironment } from "./minimal-environment.js";
import { resolveCommand, systemLookup } from "./resolve-command.js";

/**
 * What the user's git is given first wherever it is only asked something: the repository's own configuration starts
 * neither a monitor nor a hook nor a pager. An empty value switches the monitor off in every version of git. `diff` also
 * takes {@link safeDiffOptions}. Filters of contents (as of Git LFS) stay: without them every such file looks changed.
 */
export const safeGitOptions: readonly string[] = "--no-pager -c core.fsmonitor= -c core.hooksPath=/dev/null".split(" ");

/**
 * After the word `diff`: no program that the repository names takes part in it. Nor is `git status` run in a submodule, whose own
 * configuration, which an agent may have written, names filters.
 */
export const safeDiffOptions: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--ignore-submodules=dirty",
];

/** Names of variables that say where the user's own configuration, name and keys are. */
const userVariables =
  /^(?:GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|(?:KEY|VALUE)_\d+)|GIT_CEILING_DIRECTORIES|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GNUPGHOME|SSH_AUTH_SOCK)$/;

interface SafeGit {
  /** Its absolute path. */
  readonly program: string;
  /** It locks, asks and fetches nothing, as a partial clone else does unasked. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The user's git for a question about folders: never one that lies in them or in the repositories around them, nor a filter of contents
 * from there, since agents write what they like there. Undefined where there is none.
 */
export function safeGit(folders: readonly string[], env: NodeJS.ProcessEnv = process.env): SafeGit | undefined {
  const outer = minimalEnvironment(env, { more: userVariables, notFrom: folders.flatMap(withRepositories) });
  // Without a shell, Windows starts no other kinds of programs.
  const program = resolveCommand("git", { ...systemLookup(outer, "/"), pathExt: ".COM;.EXE" });
  if (program === undefined) return undefined;
  const safe = {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
  return { program, env: { ...outer, ...safe } };
}

interface GitQuestion extends AskOptions {
  /** Further folders where agents write. */
  readonly roots?: readonly string[];
}

/** Asks the user's git about `folder`, with {@link safeGitOptions}. Undefined if there is no git. Never rejects. */
export async function askGit(
  folder: string,
  args: readonly string[],
  { roots = [], env, given, ...options }: GitQuestion = {},
): Promise<ProgramAnswer | undefined> {
  const git = safeGit([folder, ...roots], env);
  if (!git) return undefined;
  return askProgram([git.program, ...safeGitOptions, ...args], {
    cwd: folder,
    ...options,
    env: git.env,
    ...(given && { given }),
  });
}

/** The folder, and those above it that are repositories. */
function withRepositories(folder: string): readonly string[] {
  return foldersUp(folder).filter((at) => at === folder || existsSync(join(at, ".git")));
}
