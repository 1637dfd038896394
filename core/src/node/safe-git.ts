/**
 * What the user's git is given first wherever it is only asked something: the repository's own configuration starts
 * neither a monitor nor a hook nor a pager. An empty value switches the monitor off in every version of git. `diff` also
 * takes {@link safeDiffOptions}. Filters of contents (as of Git LFS) stay: without them every such file looks changed.
 */
export const safeGitOptions: readonly string[] = "--no-pager -c core.fsmonitor= -c core.hooksPath=/dev/null".split(" ");

/** After the word `diff`: no program that the repository names takes part in it. */
export const safeDiffOptions: readonly string[] = ["--no-ext-diff", "--no-textconv", "--no-color"];

/** The environment of such a git: it locks, asks and fetches nothing, as a partial clone else does unasked. */
export function safeGitEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const safe = {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
  return { ...env, ...safe };
}
