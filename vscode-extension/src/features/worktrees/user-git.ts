import { SymposiumError } from "@symposium-dev/core";
import { askGit } from "@symposium-dev/core/node";

/** Git has refused: `message` is what it said. */
export class GitRefusal extends Error {
  override readonly name = "GitRefusal";
  constructor(
    message: string,
    readonly exitCode: number | undefined,
  ) {
    super(message);
  }
}

interface GitCall {
  /** What it reads from its standard input. */
  readonly input?: string;
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const maxBytes = 256 * 1024 * 1024;

/**
 * The user's Git, never one that lies in a folder in which agents write. It starts no hook, fetches nothing, and asks for
 * nothing; large files of Git LFS that are not on this machine stay pointers.
 */
export class UserGit {
  constructor(
    /** Folders of the window and of agents, absolute: no program is taken from them. */
    private readonly roots: () => readonly string[],
    /** Nothing runs without it: repositories name filters that Git starts. */
    private readonly isTrusted: () => boolean,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  /** What it prints. Rejects with {@link GitRefusal}, and with a remedy where there is no Git. */
  async run(folder: string, args: readonly string[], { input, env }: GitCall = {}): Promise<string> {
    if (!this.isTrusted())
      throw new SymposiumError(
        "folder-not-trusted",
        "In restricted mode Git is not started for worktrees.",
        "Trust the workspace to work with agents in it.",
      );
    const given = { GIT_LFS_SKIP_SMUDGE: "1", LC_ALL: "C", ...env };
    const limits = { maxBytes, timeoutMs: Infinity };
    const answer = await askGit(folder, args, { roots: this.roots(), env: this.env, given, input, ...limits });
    if (!answer)
      throw new SymposiumError(
        "component-start-failed",
        "Git was not found on PATH outside of the workspace.",
        "Install Git, and start the editor again.",
      );
    if (answer.code === 0) return answer.stdout;
    throw new GitRefusal(answer.stderr.trim() || (answer.fault ?? ""), answer.code);
  }

  /** The same, and undefined where Git refuses. */
  async ask(folder: string, args: readonly string[], call?: GitCall): Promise<string | undefined> {
    try {
      return (await this.run(folder, args, call)).replace(/\r?\n$/, "");
    } catch (error) {
      if (error instanceof GitRefusal) return undefined;
      throw error;
    }
  }
}
