import * as l10n from "@vscode/l10n";
import { SymposiumError } from "@symposium-dev/core";
import { askGit } from "@symposium-dev/core/node";

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
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const maxBytes = 256 * 1024 * 1024;

/**
 * Runs the user's Git, never an executable from a folder that agents can write to. Runs no hooks, fetches nothing and never prompts; Git
 * LFS files missing on this machine stay pointers.
 */
export class UserGit {
  constructor(
    /** Returns the absolute folders of the window and of agents. No executable from these folders is run. */
    private readonly roots: () => readonly string[],
    /** Returns whether Git may run at all, since repositories can name filter programs. */
    private readonly isTrusted: () => boolean,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  /** Returns Git's output. Rejects with {@link GitRefusal} if Git fails, or with an error that suggests a fix if Git isn't installed. */
  async run(folder: string, args: readonly string[], { input, env }: GitCall = {}): Promise<string> {
    if (!this.isTrusted())
      throw new SymposiumError(
        "folder-not-trusted",
        l10n.t("Git isn't started for worktrees in Restricted Mode."),
        l10n.t("Trust the workspace to use agents in it."),
      );
    const given = { GIT_LFS_SKIP_SMUDGE: "1", LC_ALL: "C", ...env };
    const limits = { maxBytes, timeoutMs: Infinity };
    const answer = await askGit(folder, args, { roots: this.roots(), env: this.env, given, input, ...limits });
    if (!answer)
      throw new SymposiumError(
        "component-start-failed",
        l10n.t("Git wasn't found on PATH outside the workspace."),
        l10n.t("Install Git, then restart the editor."),
      );
    if (answer.code === 0) return answer.stdout;
    throw new GitRefusal(answer.stderr.trim() || (answer.fault ?? ""), answer.code);
  }

  /** Does the same as `run`, but returns undefined if Git fails. */
  async ask(folder: string, args: readonly string[], call?: GitCall): Promise<string | undefined> {
    try {
      return (await this.run(folder, args, call)).replace(/\r?\n$/, "");
    } catch (error) {
      if (error instanceof GitRefusal) return undefined;
      throw error;
    }
  }
}
