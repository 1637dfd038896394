import { existsSync } from "node:fs";
import { join } from "node:path";
import { foldersUp } from "./folders.js";
import { type AskOptions, askProgram, type ProgramAnswer } from "./ask-program.js";
import { minimalEnvironment } from "./minimal-environment.js";
import { resolveCommand, systemLookup } from "./resolve-command.js";

/**
 * Options for read-only uses of the user's git, so that the repository's configuration can't start a monitor, hook or pager. An empty
 * `core.fsmonitor` works in every version. `diff` also needs {@link safeDiffOptions}. Content filters such as Git LFS stay enabled, because
 * without them every such file looks changed.
 */
export const safeGitOptions: readonly string[] = "--no-pager -c core.fsmonitor= -c core.hooksPath=/dev/null".split(" ");

/**
 * Options after `diff` that prevent programs named by the repository. They also prevent `git status` in submodules, whose configuration an
 * agent may have written.
 */
export const safeDiffOptions: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--ignore-submodules=dirty",
];

/** Variables that locate the user's git configuration and keys, or set the user's name. */
const userVariables =
  /^(?:GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|(?:KEY|VALUE)_\d+)|GIT_CEILING_DIRECTORIES|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GNUPGHOME|SSH_AUTH_SOCK)$/;

interface SafeGit {
  readonly program: string;
  /** Environment that disables locks, prompts, and the automatic fetches of partial clones. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds the user's git for queries about folders. Excludes programs and content filters in these folders and their repositories, since
 * agents can write there. Undefined if git isn't installed.
 */
export function safeGit(folders: readonly string[], env: NodeJS.ProcessEnv = process.env): SafeGit | undefined {
  const outer = minimalEnvironment(env, { more: userVariables, notFrom: folders.flatMap(withRepositories) });
  // Without a shell, Windows starts only these file types.
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
  readonly roots?: readonly string[];
}

/** Runs the user's git in `folder` with {@link safeGitOptions}. Undefined if git isn't installed; never rejects. */
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

function withRepositories(folder: string): readonly string[] {
  return foldersUp(folder).filter((at) => at === folder || existsSync(join(at, ".git")));
}
