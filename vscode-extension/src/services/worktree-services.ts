import { join } from "node:path";
import { type ExtensionContext, workspace } from "vscode";
import type { AgentChoice } from "../../protocol/index.js";
import { HostedSessions } from "../acp/hosted-sessions.js";
import type { ChatTabs } from "../features/chat/chat-tabs.js";
import type { OfferedAgents } from "../features/chat/offered-agents.js";
import type { TabRecord } from "../features/chat/tab-transcript.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import type { Logger } from "../features/log/logger.js";
import type { MessageHub } from "../features/pages/message-hub.js";
import type { Review } from "../features/review/review.js";
import { conflictsFile } from "../features/review/store/review-file-paths.js";
import type { SettingsSource } from "../features/settings/settings-source.js";
import type { Snapshots } from "../features/snapshots/snapshots.js";
import { Comparisons } from "../features/worktrees/comparisons.js";
import { ConflictMarks } from "../features/worktrees/conflict-marks.js";
import { ConflictStore } from "../features/worktrees/conflict-store.js";
import { SetUpCommand } from "../features/worktrees/set-up-command.js";
import { UserGit } from "../features/worktrees/user-git.js";
import { WorktreeTabs } from "../features/worktrees/worktree-tabs.js";
import { Worktrees } from "../features/worktrees/worktrees.js";
import { extensionVersion } from "./extension-version.js";

interface AroundWorktrees {
  readonly hub: MessageHub;
  readonly settings: SettingsSource;
  readonly review: Review;
  readonly offered: OfferedAgents;
  readonly tabs: ChatTabs;
  show(tabId: string): Promise<void>;
}

interface StoredBeside {
  readonly reviewFile: string;
  readonly logger: Logger;
}

export class WorktreeServices {
  readonly tabs: WorktreeTabs;
  readonly comparisons: Comparisons;
  readonly conflicts: ConflictStore;
  readonly adoptConflicts: (reviewFile: string) => Promise<void>;
  readonly trusted: (tab: Pick<TabRecord, "worktree">) => Promise<readonly string[]>;
  /** Runs the set-up command in new worktrees. Their first prompts wait for it. */
  readonly setUp: SetUpCommand;

  constructor(
    context: ExtensionContext,
    snapshots: Snapshots,
    around: AroundWorktrees,
    { reviewFile, logger }: StoredBeside,
  ) {
    const { hub, settings, review } = around;
    const tabs = (): ChatTabs => around.tabs;
    const agents = (): readonly AgentChoice[] => around.offered.choices;
    const show = (tabId: string): Promise<void> => around.show(tabId);
    const roots = (): readonly string[] => [
      ...workspaceFolders(),
      ...tabs().tabs.flatMap(({ record }) => record.worktree?.root ?? []),
    ];
    const git = new UserGit(roots, () => workspace.isTrusted);
    const worktrees = new Worktrees(git, workspaceFolders, join(context.globalStorageUri.fsPath, "worktrees"));
    this.trusted = async ({ worktree }) => (worktree ? worktrees.trustedParts(worktree, workspaceFolders()) : []);
    const failed = (thrown: unknown): void =>
      logger.error("worktrees", "the conflicts were not read or stored", { reason: String(thrown) });
    this.conflicts = new ConflictStore(conflictsFile(reviewFile), failed);
    const marks = new ConflictMarks(() => review, this.conflicts);
    const restored = marks.restore().catch(failed);
    this.adoptConflicts = async (file) => {
      await restored;
      await marks.adopt(new ConflictStore(conflictsFile(file), failed));
    };
    context.subscriptions.push(marks);
    this.setUp = new SetUpCommand(() => settings.settings["worktree.setUp"], worktrees);
    const { setUp } = this;
    const hosted = new HostedSessions(extensionVersion(context));
    const shared = { git, worktrees, hosted, tabs, snapshots, marks, setUp, show };
    this.tabs = new WorktreeTabs({ ...shared, review: () => review });
    this.comparisons = new Comparisons({ worktrees, worktreeTabs: this.tabs, tabs, agents, show });
    context.subscriptions.push(this.comparisons);
    hub.on("new-worktree-tab", ({ agentId }) => this.tabs.open(agentId));
    hub.on("worktree", async ({ tabId, action }) => {
      if (action === "merge") await this.tabs.merge(tabId);
      else await (action === "open" ? this.tabs.openWindow(tabId) : this.tabs.remove(tabId));
    });
  }
}
