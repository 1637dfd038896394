import * as l10n from "@vscode/l10n";
import { messageOf } from "@symposium-dev/core";
import { basename } from "node:path";
import * as vscode from "vscode";
import type { AbilitySession } from "../../acp/client-abilities.js";
import type { SessionObserver } from "../../acp/session-observers.js";
import type { ChatTab } from "../chat/chat-tab.js";
import type { Worktrees } from "./worktrees.js";

const cardId = "symposium:worktree-set-up";

/**
 * Runs `symposium.worktree.setUp` once in each new worktree, in a terminal that stays open. The agent starts meanwhile, but its first
 * prompt waits until the command has exited.
 */
export class SetUpCommand implements SessionObserver {
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    private readonly line: () => string,
    private readonly worktrees: Pick<Worktrees, "setUp">,
  ) {}

  /** Starts the set-up command. Does nothing if there is no command or the workspace isn't trusted. */
  begin(tab: ChatTab, folder: string): void {
    const line = this.line();
    if (line === "" || !vscode.workspace.isTrusted) return;
    const running = this.#run(tab, folder, line).finally(() => this.#running.delete(folder));
    this.#running.set(folder, running);
  }

  async turnStarted({ roots: [folder = ""] }: AbilitySession): Promise<void> {
    await this.#running.get(folder);
  }

  async #run(tab: ChatTab, folder: string, line: string): Promise<void> {
    const card = { id: cardId, actions: [] };
    const text = l10n.t(
      "Running `{0}` in {1}. The terminal shows its output. Your first prompt is sent when it finishes.",
      line,
      folder,
    );
    tab.notice({ ...card, severity: "info", title: l10n.t("Setting up the worktree…"), text, progress: {} });
    try {
      const exitCode = await runTask(line, folder);
      if (tab.record.worktree) await this.worktrees.setUp(tab.record.worktree);
      const isDone = exitCode === 0;
      tab.notice({
        ...card,
        severity: isDone ? "success" : "warning",
        title: isDone ? l10n.t("The worktree is set up") : l10n.t("Worktree setup failed"),
        text: isDone ? l10n.t("`{0}` finished.", line) : failed(line, exitCode),
      });
    } catch (thrown) {
      const reason = messageOf(thrown);
      tab.notice({ ...card, severity: "warning", title: l10n.t("The worktree couldn't be set up"), text: reason });
    }
  }
}

/** Runs the command and returns its exit code; undefined if the user stopped the command. */
async function runTask(line: string, folder: string): Promise<number | undefined> {
  const name = l10n.t("Setup of {0}", basename(folder));
  const shell = new vscode.ShellExecution(line, { cwd: folder });
  // The definition includes the folder, because VS Code treats a second task with an equal definition as a restart of the first.
  const kind = { type: "symposium", folder };
  const task = new vscode.Task(kind, vscode.TaskScope.Workspace, name, "Symposium", shell, []);
  task.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    panel: vscode.TaskPanelKind.Dedicated,
    focus: false,
  };
  const disposables: vscode.Disposable[] = [];
  try {
    return await new Promise<number | undefined>((resolve, reject) => {
      let begun: vscode.TaskExecution | undefined;
      const ended: (() => void)[] = [];
      const whenOurs = (execution: vscode.TaskExecution, end: () => void): void => {
        if (begun === undefined) ended.push(() => whenOurs(execution, end));
        else if (execution === begun) end();
      };
      disposables.push(
        vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => whenOurs(execution, () => resolve(exitCode))),
        vscode.tasks.onDidEndTask(({ execution }) => whenOurs(execution, () => resolve(undefined))),
      );
      vscode.tasks.executeTask(task).then((execution) => {
        begun = execution;
        for (const again of ended) again();
      }, reject);
    });
  } finally {
    for (const one of disposables) one.dispose();
  }
}

function failed(line: string, exitCode: number | undefined): string {
  const remedy = l10n.t(
    "The terminal shows its output. The agent can work in the worktree; run the command again there, or change `symposium.worktree.setUp`.",
  );
  const what =
    exitCode === undefined ? l10n.t("`{0}` was stopped.", line) : l10n.t("`{0}` exited with code {1}.", line, exitCode);
  return `${what} ${remedy}`;
}
