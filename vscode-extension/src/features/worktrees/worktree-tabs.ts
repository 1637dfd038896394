import * as l10n from "@vscode/l10n";
import { isThere } from "@symposium-dev/core/node";
import { basename, join, resolve } from "node:path";
import { messageOf, SymposiumError } from "@symposium-dev/core";
import * as vscode from "vscode";
import type { HostedSessions } from "../../acp/hosted-sessions.js";
import type { ChatTab } from "../chat/chat-tab.js";
import type { ChatTabs } from "../chat/chat-tabs.js";
import { chooseFolder, workspaceFolders } from "../chat/workspace-folders.js";
import type { TabPlace } from "../chat/tab-transcript.js";
import { showBesideBefore } from "../review/marks/baseline-documents.js";
import type { Review } from "../review/review.js";
import type { Snapshots } from "../snapshots/snapshots.js";
import { askUntilUnchanged } from "./ask-until-unchanged.js";
import { keepInside } from "./carry-out-merge.js";
import { uncommitted } from "./carried-changes.js";
import { chooseWorktree } from "./choose-worktree.js";
import type { ConflictMarks } from "./conflict-marks.js";
import { openMerge, type OpenedMerge } from "./merge-sides.js";
import { planMerge } from "./merge-plan.js";
import { type Repository, repositoryOf } from "./repository.js";
import type { SetUpCommand } from "./set-up-command.js";
import type { UserGit } from "./user-git.js";
import { type FoundMerge, mergeForReview } from "./worktree-merge.js";
import { worktreeName } from "./worktree-names.js";
import { isWithin, type Loss, lossOf } from "./worktree-loss.js";
import { askRemoval, type Removal } from "./ask-removal.js";
import type { FoundWorktree, Worktrees } from "./worktrees.js";

interface WorktreeTabsOptions {
  readonly git: UserGit;
  readonly worktrees: Worktrees;
  readonly hosted: Pick<HostedSessions, "isAtWork" | "end">;
  readonly tabs: () => ChatTabs;
  readonly review: () => Review;
  readonly snapshots: Pick<Snapshots, "take">;
  readonly marks: ConflictMarks;
  readonly setUp: SetUpCommand;
  readonly show: (tabId: string) => Promise<void>;
}

interface NewWorktreeTab {
  readonly words: string;
  readonly isCarried: boolean;
  readonly agentId?: string | undefined;
  readonly comparison?: TabPlace["comparison"];
}

export class WorktreeTabs {
  constructor(private readonly options: WorktreeTabsOptions) {}

  async open(agentId?: string): Promise<void> {
    await told(async () => {
      const repository = await this.repository();
      if (!repository) return;
      const words = await askName(this.options.tabs().selectedTab);
      if (words === undefined) return;
      const isCarried = await this.askToCarry(repository);
      if (isCarried === undefined) return;
      const tab = await this.make(repository, { words, isCarried, agentId });
      await this.options.show(tab.tabId);
    });
  }

  async make(repository: Repository, { words, isCarried, agentId, comparison }: NewWorktreeTab): Promise<ChatTab> {
    const { tabs, worktrees, setUp } = this.options;
    const title = l10n.t("Creating the worktree…");
    const made = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      worktrees.make(repository, { words, isCarried }),
    );
    const { root, branch, notes } = made;
    const folder = join(root, repository.prefix);
    const place = {
      folder: resolve(folder),
      worktree: { root, top: repository.top, branch },
      ...(comparison && { comparison }),
    };
    const tab = tabs().open(crypto.randomUUID(), agentId, place);
    for (const [index, text] of notes.entries())
      tab.notice({
        id: `symposium:worktree-note-${index}`,
        severity: "info",
        title: l10n.t("About this worktree"),
        text,
        actions: [],
      });
    setUp.begin(tab, place.folder);
    return tab;
  }

  /** Returns the repository of the window's folder; with several folders, the user chooses. Returns undefined if dismissed. */
  async repository(): Promise<Repository | undefined> {
    if (!vscode.workspace.isTrusted)
      throw new SymposiumError(
        "folder-not-trusted",
        l10n.t("Worktrees can't be created in Restricted Mode."),
        l10n.t("Trust the workspace to use agents in it."),
      );
    const folders = workspaceFolders();
    if (folders.length === 0)
      throw new SymposiumError(
        "invalid-arguments",
        l10n.t("No folder is open."),
        l10n.t("Open a folder with a Git repository."),
      );
    const folder = folders.length === 1 ? folders[0] : await chooseFolder(folders);
    return folder === undefined ? undefined : repositoryOf(this.options.git, folder);
  }

  async askToCarry({ top }: Repository): Promise<boolean | undefined> {
    const paths = await uncommitted(this.options.git, top);
    if (paths.length === 0) return false;
    const carry = l10n.t("Copy Changes");
    const leave = l10n.t("Start from the Last Commit");
    const shown = paths.slice(0, 15).join("\n") + (paths.length > 15 ? `\n… +${paths.length - 15}` : "");
    const answer = await vscode.window.showInformationMessage(
      l10n.t("You have {0} uncommitted files. Copy them into the worktree?", paths.length),
      { modal: true, detail: shown },
      carry,
      leave,
    );
    return answer === undefined ? undefined : answer === carry;
  }

  async checkPlace({ record }: ChatTab): Promise<void> {
    const { worktree } = record;
    if (!worktree || (await isThere(worktree.root))) return;
    throw new SymposiumError(
      "component-start-failed",
      l10n.t("The worktree {0} no longer exists.", worktree.root),
      l10n.t(
        "Its commits are in the branch {0} if that still exists. Restore it with `git worktree add`, or continue in a new tab.",
        worktree.branch,
      ),
    );
  }

  async lookAround(): Promise<void> {
    for (const tab of this.options.tabs().tabs)
      await this.checkPlace(tab).catch((thrown: unknown) => {
        const { message, hint } = wordsOf(thrown);
        tab.notice({ id: "symposium:worktree-gone", severity: "warning", title: message, text: hint, actions: [] });
      });
  }

  /**
   * Merges a tab's worktree (default: the selected tab's) into the main tree for review. Offers to remove the worktrees of `compared` tabs
   * with the same answer.
   */
  async merge(tabId = this.options.tabs().selected, compared: readonly ChatTab[] = []): Promise<void> {
    await told(async () => {
      const { review, marks } = this.options;
      const tab = this.#tabInWorktree(tabId);
      const worktree = tab?.record.worktree;
      if (!tab || !worktree) return;
      await this.checkPlace(tab);
      const removals = await mergeForReview({
        review: review(),
        marks,
        tabId: tab.tabId,
        name: basename(worktree.root),
        root: worktree.root,
        top: worktree.top,
        look: () => this.#lookAtMerge(tab.tabId, worktree, compared),
      });
      for (const removal of removals) await this.#remove(worktree.top, removal.worktree, removal.loss);
    });
  }

  /** Shows a diff between a worktree file's content at the worktree's start and now. */
  async showDifference(tab: ChatTab, path: string): Promise<void> {
    await told(async () => {
      const { worktree } = tab.record;
      if (!worktree) return;
      await this.checkPlace(tab);
      await using opened = await this.#opened(worktree.top, worktree);
      const [before, now] = [await opened.sides.base(path), await opened.sides.theirs(path)];
      const title = `${path} (${tab.state.agentName})`;
      const { baselines } = this.options.review();
      await showBesideBefore(baselines, join(worktree.root, path), before ?? null, now ?? null, title);
    });
  }

  async openWindow(tabId = this.options.tabs().selected): Promise<void> {
    await told(async () => {
      const tab = this.#tabInWorktree(tabId);
      if (!tab?.record.worktree) return;
      await this.checkPlace(tab);
      const folder = vscode.Uri.file(tab.record.folder ?? tab.record.worktree.root);
      await vscode.commands.executeCommand("vscode.openFolder", folder, { forceNewWindow: true });
    });
  }

  /** Closes a tab and removes its worktree, after a question if data would be lost. */
  async remove(tabId = this.options.tabs().selected): Promise<void> {
    await told(async () => {
      const tab = this.#tabInWorktree(tabId);
      const worktree = tab?.record.worktree;
      if (!worktree) return;
      await this.#remove(worktree.top, await foundWorktree(worktree));
    });
  }

  async showAll(): Promise<void> {
    await told(async () => {
      const repository = await this.repository();
      if (!repository) return;
      const { top } = repository;
      const found = await this.options.worktrees.list(top);
      if (found.length === 0) {
        void vscode.window.showInformationMessage(l10n.t("There are no worktrees yet."));
        return;
      }
      const chosen = await chooseWorktree(found, this.options.tabs().tabs);
      if (!chosen) return;
      const { worktree, action } = chosen;
      const tab = this.#tabsIn(worktree.root)[0];
      if (action === "remove") await this.#remove(top, worktree);
      else if (action === "window")
        await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(worktree.root), {
          forceNewWindow: true,
        });
      else await this.options.show((tab ?? this.#openIn(repository, worktree)).tabId);
    });
  }

  #openIn({ top, prefix }: Repository, { root, branch }: FoundWorktree): ChatTab {
    const place = { folder: resolve(root, prefix), worktree: { root, top, branch } };
    return this.options.tabs().open(crypto.randomUUID(), undefined, place);
  }

  /** Removes a worktree. `known` is the loss that the user has accepted; asks again only if more would be lost. */
  async #remove(top: string, worktree: FoundWorktree, known?: Loss): Promise<boolean> {
    const { worktrees, hosted, tabs, marks } = this.options;
    const agreed = await askUntilUnchanged({
      look: () => this.#lookAtLoss(top, worktree),
      ask: async (loss, isOther) =>
        known && isWithin(loss, known) ? { isBranchDeleted: loss.commits === 0 } : askRemoval(worktree, loss, isOther),
    });
    if (!agreed) return false;
    const { answer } = agreed;
    // Close the tabs first, because the agents must leave the folder and the review must drop its files.
    for (const { tabId } of this.#tabsIn(worktree.root)) {
      marks.mark(tabId, worktree.name, []);
      await tabs().close(tabId, true);
    }
    await hosted.end(worktree.root);
    keepInside(this.options.review().book, worktree.root);
    await worktrees.remove(top, worktree, answer.isBranchDeleted);
    return true;
  }

  /** Reads the state of both trees. Returns undefined while the agent is working, because its next changes would be missing. */
  async #lookAtMerge(
    tabId: string,
    worktree: { readonly root: string; readonly top: string },
    compared: readonly ChatTab[],
  ): Promise<FoundMerge | undefined> {
    const isAtWork = (): boolean => this.options.review().isRunning(tabId);
    const found = isAtWork() ? undefined : await this.#foundMerge(worktree);
    const removals = found ? await this.#removals(compared, worktree.root, found) : [];
    if (found && !isAtWork()) return { ...found, removals };
    const message = l10n.t("The agent is still working. Stop it, then merge.");
    await vscode.window.showWarningMessage(message, { modal: true });
    return undefined;
  }

  async #foundMerge(worktree: { readonly root: string; readonly top: string }): Promise<FoundMerge> {
    await using opened = await this.#opened(worktree.top, worktree);
    const { changes, sides } = opened;
    return { changes, plan: await planMerge(changes, sides) };
  }

  /**
   * Returns the worktrees that can be removed after a merge: those without a working agent, and the merged one only if everything is
   * merged.
   */
  async #removals(compared: readonly ChatTab[], merged: string, { changes, plan }: FoundMerge): Promise<Removal[]> {
    const removals: Removal[] = [];
    for (const { record } of compared) {
      if (!record.worktree) continue;
      const worktree = await foundWorktree(record.worktree);
      const isMerged = worktree.root === merged;
      if (isMerged && plan.conflicts.length + plan.left.length > 0) continue;
      const loss = await this.#loss(record.worktree.top, worktree);
      if (!loss) continue;
      const files = isMerged ? loss.files.filter((file) => !changes.some(({ path }) => path === file)) : loss.files;
      removals.push({ worktree, loss: { ...loss, files } });
    }
    return removals;
  }

  /** Determines what the worktree's removal would lose. Returns undefined if an agent is working in the worktree. */
  async #loss(top: string, worktree: FoundWorktree): Promise<Loss | undefined> {
    const isAtWork = async (): Promise<boolean> =>
      this.#tabsIn(worktree.root).some(({ tabId }) => this.options.review().isRunning(tabId)) ||
      (await this.options.hosted.isAtWork(worktree.root));
    if (await isAtWork()) return undefined;
    await using opened = worktree.isMissing ? undefined : await this.#opened(top, worktree);
    const loss = await lossOf(this.options.worktrees, top, worktree, opened);
    return (await isAtWork()) ? undefined : loss;
  }

  /** Determines what the worktree's removal would lose. If an agent is working in the worktree, shows a message and returns undefined. */
  async #lookAtLoss(top: string, worktree: FoundWorktree): Promise<Loss | undefined> {
    const loss = await this.#loss(top, worktree);
    if (loss) return loss;
    const message = l10n.t("The agent is still working in {0}. Stop it first.", worktree.name);
    await vscode.window.showWarningMessage(message, { modal: true });
    return undefined;
  }

  async #opened(top: string, worktree: { readonly root: string }): Promise<OpenedMerge> {
    const { git, worktrees, review, snapshots } = this.options;
    // Take a snapshot, whose contents are needed to merge binary files.
    await snapshots.take(worktree.root);
    return openMerge({ git, worktrees, truth: (path) => review().answers.learn(path) }, top, worktree);
  }

  #tabsIn(root: string): readonly ChatTab[] {
    return this.options.tabs().tabs.filter(({ record }) => record.worktree?.root === root);
  }

  #tabInWorktree(tabId: string | undefined): ChatTab | undefined {
    const tab = this.options.tabs().tab(tabId);
    if (tab?.record.worktree) return tab;
    void vscode.window.showInformationMessage(
      tab ? l10n.t("This chat doesn't use a worktree.") : l10n.t("No chat is open."),
    );
    return undefined;
  }
}

async function foundWorktree({ root, branch }: { root: string; branch: string }): Promise<FoundWorktree> {
  return { name: basename(root), root, branch, isMissing: !(await isThere(root)) };
}

export async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { message, hint } = wordsOf(thrown);
    void vscode.window.showErrorMessage(`${message} ${hint}`.trim());
  }
}

function wordsOf(thrown: unknown): { readonly message: string; readonly hint: string } {
  if (thrown instanceof SymposiumError) return { message: thrown.message, hint: thrown.hint ?? "" };
  return { message: messageOf(thrown), hint: "" };
}

/** Asks for the name of a worktree and its branch; undefined if dismissed. */
async function askName(tab: ChatTab | undefined): Promise<string | undefined> {
  const draft = tab?.draft?.text.trim() ?? "";
  return vscode.window.showInputBox({
    title: l10n.t("New Chat in a Worktree"),
    prompt: l10n.t("Name this task. The worktree's folder and the branch symposium/… get this name."),
    placeHolder: l10n.t("fix the cart tax"),
    value: draft === "" ? "" : worktreeName(draft),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? l10n.t("Enter a name.") : undefined),
  });
}
