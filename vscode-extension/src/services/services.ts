import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { type Command, messageOf } from "@symposium-dev/core";
import { Watchdog } from "@symposium-dev/core/node";
import { commands, type ExtensionContext, ExtensionMode, window as vsCodeWindow, workspace } from "vscode";
import type { Attachment, Draft } from "../../protocol/index.js";
import type { WindowAgents } from "../acp/running-agent.js";
import { HostedSessions } from "../acp/hosted-sessions.js";
import { isHosted } from "../acp/user-config.js";
import type { AgentChoices } from "../features/agents/agent-choices.js";
import { activityOf } from "../features/agents/agent-activity.js";
import { AgentStatus } from "../features/agents/agent-status.js";
import { SubcommandRunner } from "../features/agents/subcommand-runner.js";
import type { Attention } from "../features/chat/attention.js";
import { handleChatMessages } from "../features/chat/handle-chat-messages.js";
import { type ChatTab, RestrictedMode } from "../features/chat/chat-tab.js";
import { ChatTabs } from "../features/chat/chat-tabs.js";
import { ConversationFactory } from "../features/chat/conversation-factory.js";
import { DiffDocuments } from "../features/chat/vscode-window.js";
import { MessageHub } from "../features/pages/message-hub.js";
import { OfferedAgents } from "../features/chat/offered-agents.js";
import { registerTestCommands } from "../features/chat/test-commands.js";
import { chooseFolder, workspaceFolders } from "../features/chat/workspace-folders.js";
import { Attachments } from "../features/context/attachments.js";
import { HistoryPicker } from "../features/history/history-picker.js";
import { ConversationHistory } from "../features/history/conversation-history.js";
import { RecordingNotice } from "../features/history/recording-notice.js";
import { restoreLate, restoreTabs } from "../features/history/restore-tabs.js";
import { StoredConversations } from "../features/history/stored-conversations.js";
import { TabArchive } from "../features/history/tab-archive.js";
import type { OwnFeatures } from "../features/language-features/own-features.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import type { LogChannel } from "../features/log/log-channel.js";
import { reportCommand, unreachableReporter } from "../features/log/reachability.js";
import { WaitingRequests } from "../features/permissions/waiting-requests.js";
import type { ViewPlacement } from "../features/placement/view-placement.js";
import type { Review } from "../features/review/review.js";
import type { ReviewPlace } from "../features/review/store/review-folder-lock.js";
import type { Snapshots } from "../features/snapshots/snapshots.js";
import { SettingsSource } from "../features/settings/settings-source.js";
import type { EditorTools } from "../features/editor-tools/editor-tools.js";
import { AbilityServices } from "./ability-services.js";
import { commandFinder, windowAgents } from "./agent-services.js";
import { editorToolsOf } from "./editor-tool-services.js";
import { commentDelivery } from "./comment-delivery.js";
import { chatWindow } from "./chat-window.js";
import { attentionOf, ChatServices, hostOfferOf, sayContinues, viewSettingsOf } from "./chat-services.js";
import { CheckpointServices } from "./checkpoint-services.js";
import { extensionVersion } from "./extension-version.js";
import { PageServices } from "./page-services.js";
import { reviewOf } from "./review-services.js";
import { SettingsServices } from "./settings-services.js";
import { snapshotsOf } from "./snapshot-services.js";
import { WorktreeServices } from "./worktree-services.js";

export interface ServicesOptions {
  readonly context: ExtensionContext;
  readonly logger: Logger;
  readonly channel: LogChannel;
  readonly placement: ViewPlacement;
  readonly reviewPlace: ReviewPlace;
  readonly ownFeatures: OwnFeatures;
}

export class Services implements AsyncDisposable {
  readonly hub: MessageHub;
  readonly tabs: ChatTabs;
  readonly chat: ChatServices;
  readonly settings = new SettingsSource();
  readonly settingsServices: SettingsServices;
  readonly choices: AgentChoices;
  readonly offered: OfferedAgents;
  readonly commandLine: SubcommandRunner;
  readonly review: Review;
  readonly worktrees: WorktreeServices;
  readonly pages: PageServices;
  readonly status = new AgentStatus();
  readonly #context: ExtensionContext;
  readonly #logger: Logger;
  readonly #channel: LogChannel;
  readonly #command: () => Command;
  readonly #waiting: WaitingRequests;
  readonly #attention: Attention;
  readonly #archive: TabArchive;
  readonly #history: ConversationHistory;
  readonly #keptNotice: RecordingNotice;
  readonly #abilities: AbilityServices;
  readonly #agents: WindowAgents;
  readonly #attachments: Attachments;
  readonly #diffs = new DiffDocuments();
  readonly #snapshots: Snapshots;
  readonly #checkpoints: CheckpointServices;
  readonly #editorTools: EditorTools;
  readonly #watchdog = new Watchdog();
  readonly #end = new AbortController();

  constructor({ context, logger, channel, placement, reviewPlace, ownFeatures }: ServicesOptions) {
    this.#context = context;
    this.#logger = logger;
    this.#channel = channel;
    const storage = (context.storageUri ?? context.globalStorageUri).fsPath;
    this.hub = new MessageHub(logger);
    this.#command = commandFinder(context, this.settings);
    this.commandLine = new SubcommandRunner(() => {
      if (!workspace.isTrusted) throw new RestrictedMode();
      return this.#command();
    });
    channel.level = this.settings.settings.logLevel;
    reportCommand(logger, this.#command);
    this.#editorTools = editorToolsOf(context, this.settings, logger);
    this.settingsServices = this.#newSettings();
    this.choices = this.settingsServices.choices;
    this.offered = this.#newOffered();
    this.#attention = attentionOf(this.settings, (tabId) => this.show(tabId));
    this.#waiting = new WaitingRequests(({ tabId, agentName, title }) =>
      this.#attention.asked(tabId, agentName, title),
    );
    this.#archive = new TabArchive(storage, logger, () => void this.#history.settle());
    this.#snapshots = snapshotsOf(context, this.settings, logger);
    this.review = this.#newReview(reviewPlace);
    this.#checkpoints = new CheckpointServices(this.review, () => this.tabs);
    this.worktrees = new WorktreeServices(context, this.#snapshots, this, { reviewFile: reviewPlace.file, logger });
    this.#abilities = this.#newAbilities(storage, ownFeatures);
    this.#agents = windowAgents({
      command: this.#command,
      abilities: this.#abilities.table,
      watchdog: this.#watchdog,
      version: extensionVersion(context),
      logger,
    });
    this.pages = this.#newPages();
    this.#attachments = new Attachments({
      messages: this.hub,
      pages: () => this.tabs.pages,
      rootsOf: (tabId) => this.tabs.tab(tabId)?.conversation?.roots ?? workspaceFolders(),
    });
    this.tabs = this.#newTabs();
    const store = new StoredConversations(this.commandLine);
    this.#keptNotice = new RecordingNotice({ memory: context.globalState, store });
    this.#history = this.#newHistory(store);
    this.chat = new ChatServices({
      extensionUri: context.extensionUri,
      placement,
      hub: this.hub,
      tabs: this.tabs,
      opened: () => this.#opened(),
    });
    const window = chatWindow(this, {
      ...{ channel, logs: this.#abilities.logs, diffs: this.#diffs, checkpoints: this.#checkpoints },
    });
    handleChatMessages(this.hub, this.tabs, window, logger);
    this.#follow();
    this.#showStatus();
    void this.#restore();
  }

  show(tabId?: string): Promise<void> {
    return this.chat.show(tabId);
  }

  async openTab(agentId?: string, draft?: Draft): Promise<ChatTab> {
    const tab = this.tabs.open(crypto.randomUUID(), agentId, draft && { draft });
    await this.show(tab.tabId);
    return tab;
  }

  async continueWith(tabId: string | undefined): Promise<void> {
    const tab = this.tabs.tab(tabId);
    if (!tab) {
      void vsCodeWindow.showInformationMessage(l10n.t("There is no conversation to continue. Open one first."));
      return;
    }
    const agentId = await this.settingsServices.agents.chooseOther(tab.state.agentId, tab.state.title);
    if (agentId !== undefined) await this.show(this.tabs.continueWith(tab, agentId, crypto.randomUUID()).tabId);
  }

  async addContext(attachments: readonly Attachment[]): Promise<void> {
    const tab = this.tabs.selectedTab ?? this.tabs.open(crypto.randomUUID());
    await this.chat.addContext(tab.tabId, attachments);
  }

  get history(): HistoryPicker {
    return new HistoryPicker(this.#history, this.tabs, (tabId) => this.show(tabId));
  }

  showPermissions(): Promise<void> {
    return this.#abilities.showPermissions();
  }

  /** Ends everything. Resolves when transcripts are written and agents have exited. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    this.review.detach();
    this.tabs.detach();
    await Promise.allSettled([
      this.#snapshots[Symbol.asyncDispose](),
      this.#archive[Symbol.asyncDispose](),
      this.#agents[Symbol.asyncDispose](),
      this.#abilities[Symbol.asyncDispose](),
      this.#editorTools[Symbol.asyncDispose](),
      this.review.flush(),
      this.worktrees.conflicts.flush(),
    ]);
    this.#watchdog[Symbol.dispose]();
  }

  async #editorServers(): Promise<Readonly<Record<string, unknown>>> {
    return { ...(await this.#editorTools.servers()), ...this.settings.settings.mcpServers };
  }

  #newSettings(): SettingsServices {
    return new SettingsServices({
      context: this.#context,
      editorServers: () => this.#editorServers(),
      source: this.settings,
      commandLine: this.commandLine,
      changed: () => void this.offered.refresh(),
      unreachable: unreachableReporter(this.#logger),
    });
  }

  #newOffered(): OfferedAgents {
    const changed = (): void => {
      this.tabs.pages.sendSettings();
      this.#showStatus();
    };
    const pictures = () => this.settingsServices.pictures();
    return new OfferedAgents(this.choices, this.settings.settings.agents, changed, pictures);
  }

  #newReview(place: ReviewPlace): Review {
    return reviewOf({
      ...{ place, adoptBeside: (file: string) => this.worktrees.adoptConflicts(file) },
      snapshots: this.#snapshots,
      messages: this.hub,
      settings: this.settings,
      tabs: () => this.tabs,
      delivery: commentDelivery(this),
      logger: this.#logger,
    });
  }

  #newHistory(store: StoredConversations): ConversationHistory {
    return new ConversationHistory({
      archive: this.#archive,
      store,
      tabs: this.tabs,
      agents: this.offered,
      folder: () => workspaceFolders()[0] ?? homedir(),
      isHosted: () => isHosted(this.settings.settings.host),
      hosted: new HostedSessions(extensionVersion(this.#context)),
      commandLine: this.commandLine,
      logger: this.#logger,
      tell: (text) => void vsCodeWindow.showWarningMessage(text),
    });
  }

  #newAbilities(storage: string, ownFeatures: OwnFeatures): AbilityServices {
    return new AbilityServices({
      ...{ ownFeatures, context: this.#context, commandLine: this.commandLine },
      choices: this.choices,
      messages: this.hub,
      waiting: this.#waiting,
      review: this.review,
      watchdog: this.#watchdog,
      storage,
      logger: this.#logger,
      startsLanguageServers: () => this.settings.settings.startLanguageServers,
      tabs: () => this.tabs,
    });
  }

  #newPages(): PageServices {
    return new PageServices({
      context: this.#context,
      commandLine: this.commandLine,
      source: this.settings,
      editorServers: () => this.#editorServers(),
      agents: this.#agents,
      notices: this.#abilities.serverNotices,
      choices: this.choices,
      ...{ levelChanged: () => this.#checkSettings(), isOpen: (tabId) => this.tabs.tab(tabId) !== undefined },
      spawnArgs: () => this.settings.settings.agentSpawnArgs,
      logger: this.#logger,
    });
  }

  #newTabs(): ChatTabs {
    const hostOffer = hostOfferOf(this.#context.globalState, this.settings);
    return new ChatTabs({
      isHosted: () => isHosted(this.settings.settings.host),
      interrupted: () => void hostOffer.interrupted(),
      store: this.#archive,
      conversations: new ConversationFactory({
        askFirst: () => this.settingsServices.workspaceExtensions.ask(),
        configurationFor: async ({ state, record }, folder) => {
          this.review.prepare([folder]);
          const made = await this.choices.configurationFor(state.agentId, folder, await this.worktrees.trusted(record));
          const mcpServers = await this.#editorServers();
          return Object.keys(mcpServers).length === 0 ? made : { ...made, mcpServers };
        },
        agents: this.#agents,
        signIn: this.#abilities.authentication,
        toBlocks: this.#attachments.toBlocks,
        checkPlace: (tab) => this.worktrees.tabs.checkPlace(tab),
        observers: [this.worktrees.setUp, ...this.#checkpoints.observers, ...this.#abilities.observers],
        logger: coreLogger(this.#logger, "conversation"),
        command: this.#command,
        folders: workspaceFolders,
        chooseFolder,
        isTrusted: () => workspace.isTrusted,
        prepare: (configuration) => this.settingsServices.prepare(configuration),
        turnEnded: (tab, stopReason) => this.#turnEnded(tab, stopReason),
      }),
      viewSettings: () => viewSettingsOf(this.settings, this.offered),
      agent: (agentId) => this.offered.find(agentId, this.tabs.selectedTab?.state.agentId),
      changed: () => this.#showStatus(),
      closing: ({ tabId, state }, turnContinues) => {
        if (turnContinues) sayContinues(state);
        this.review.tabClosed(tabId);
        this.chat.editors.close(tabId);
      },
      openInEditor: (tabId) => void this.chat.openInEditor(tabId),
    });
  }

  #follow(): void {
    const { hub, settings } = this;
    hub.on("show-guard", () => this.pages.showGuard());
    hub.on("open-settings", () => void this.settingsServices.showSettings());
    hub.on("open-walkthrough", () => void commands.executeCommand("symposium.openWalkthrough"));
    this.#context.subscriptions.push(
      settings,
      this.status,
      this.#diffs,
      this.review,
      this.#attachments,
      settings.onDidChange(({ logLevel }) => {
        this.#channel.level = logLevel;
        this.#editorTools.refresh();
        this.tabs.pages.sendSettings();
        void this.offered.refresh();
        this.review.marksChanged();
        this.#checkSettings();
      }),
      workspace.onDidChangeWorkspaceFolders(() => this.tabs.pages.sendSettings()),
      workspace.onDidGrantWorkspaceTrust(() => {
        void this.offered.lookAgain();
        for (const tab of this.tabs.tabs) void tab.trusted();
      }),
    );
    if (this.#context.extensionMode !== ExtensionMode.Production || process.env["SYMPOSIUM_TEST"] === "1")
      this.#context.subscriptions.push(...registerTestCommands(hub, this.tabs));
  }

  #checkSettings(): void {
    for (const tab of this.tabs.tabs) void tab.checkSettings();
  }

  async #restore(): Promise<void> {
    const restoring = restoreTabs(this.tabs, this.#archive, this.#history, this.#end.signal);
    await this.review.restore(restoring);
    await restoring;
    this.#checkpoints.offerAll();
    await this.worktrees.tabs.lookAround();
    await restoreLate(this.tabs, this.#archive, this.#history, this.#end.signal);
    if (this.#end.signal.aborted) return;
    this.chat.editors.allRestored();
    await this.#history.settle();
    await this.review.adopted.then(() => this.#checkpoints.offerAll());
  }

  #turnEnded(tab: ChatTab, stopReason: string): void {
    this.chat.turnEnded(tab);
    const { agentName, title } = tab.state;
    void this.#keptNotice.turnEnded(tab);
    void this.pages.sandboxOffer.turnEnded(tab);
    this.#attention.turnEnded(tab.tabId, agentName, title, stopReason);
  }

  #showStatus(): void {
    this.chat.changed();
    this.worktrees.comparisons.changed();
    this.status.show(activityOf(this.tabs, { chosen: this.offered.chosenName, isTrusted: workspace.isTrusted }));
  }

  /** Runs the checks that may contact the registry, since the user has just opened the view. */
  #opened(): void {
    const unseen = (reason: unknown): void =>
      this.#logger.debug("chat", "no look around", { reason: messageOf(reason) });
    void this.#lookForUpdates().catch(unseen);
    void this.settingsServices.importOffer.look().catch(unseen);
  }

  async #lookForUpdates(): Promise<void> {
    if (!this.offered.isListed) await this.offered.refresh();
    await this.settingsServices.updates.look();
  }
}
