import {
  type Draft,
  newTabState,
  newTranscript,
  type QueuedPrompt,
  type TabState,
  type ViewSettings,
} from "../../../protocol/index.js";
import { hasOpenTurn, wasClosedInTurn } from "../../acp/interrupted-turn.js";
import { branchesAt, type CutTab, cutTab } from "./branching.js";
import { ChatTab, type ChatTabHooks } from "./chat-tab.js";
import { continuedTab } from "./continuing.js";
import { type TabPlace, TabTranscript, type TabRecord } from "./tab-transcript.js";
import { ChatPages, type PagesSource } from "./chat-pages.js";

export interface StoredTab {
  readonly record: TabRecord;
  readonly transcript: TabTranscript;
  /** True if the conversation's latest turn runs in the host, begun by another client. */
  readonly runsInHost?: boolean;
}

/** Stores tabs, so that they outlive the window. Never rejects: the store logs its failures. */
export interface TabStore {
  add(tab: ChatTab): void;
  recordChanged(tab: ChatTab): void;
  /** Moves a closed tab to the history, or deletes it if the conversation is empty. */
  closed(tab: ChatTab): Promise<void>;
  orderChanged(tabIds: readonly string[], selected: string | undefined): void;
}

interface ChatTabsOptions {
  readonly store: TabStore;
  readonly conversations: Pick<ChatTabHooks, "converse" | "isUpToDate">;
  viewSettings(): ViewSettings;
  /** Whether the host keeps sessions when their window closes. */
  isHosted?(): boolean;
  /** Called for a restored tab whose window was closed during a turn that can't continue. */
  interrupted?(): void;
  agent(agentId: string | undefined): { readonly id: string; readonly name: string };
  changed(): void;
  closing(tab: ChatTab, turnContinues: boolean): void;
  openInEditor(tabId: string): void;
}

/** Open tabs in order, with their pages and the tab that the user visited last. */
export class ChatTabs implements PagesSource {
  readonly pages = new ChatPages(this);
  readonly #tabs = new Map<string, ChatTab>();
  readonly #subscriptions = new Map<string, Disposable>();
  readonly #closing = new Set<Promise<void>>();
  #order: string[] = [];
  #selectedInPanel: string | undefined;
  #inEditor: string | undefined;

  constructor(private readonly options: ChatTabsOptions) {}

  get tabIds(): readonly string[] {
    return this.#order;
  }

  get selectedInPanel(): string | undefined {
    return this.#selectedInPanel;
  }

  /** Tab that the user visited last, to which the editor's commands apply. */
  get selected(): string | undefined {
    return this.#inEditor ?? this.#selectedInPanel;
  }

  get selectedTab(): ChatTab | undefined {
    return this.tab(this.selected);
  }

  get tabs(): readonly ChatTab[] {
    return this.#order.map((tabId) => this.#tabs.get(tabId)).filter((tab) => tab !== undefined);
  }

  get settings(): ViewSettings {
    return this.options.viewSettings();
  }

  tab(tabId: string | undefined): ChatTab | undefined {
    return tabId === undefined ? undefined : this.#tabs.get(tabId);
  }

  /**
   * Opens a tab with an agent (default: the current one), optionally in its own folder or with a draft. If the tab is already open, only
   * selects it.
   */
  open(
    tabId: string,
    agentId?: string,
    given?: TabPlace | Pick<TabRecord, "machine"> | { readonly draft: Draft },
  ): ChatTab {
    const known = this.#tabs.get(tabId);
    if (known) {
      this.select(tabId);
      return known;
    }
    const state = newTabState(this.options.agent(agentId));
    const record = { tabId, createdAt: Date.now(), ...given };
    const tab = this.#add({ record, transcript: freshTranscript(state) });
    this.select(tabId);
    void tab.start();
    return tab;
  }

  /**
   * Opens a tab that continues another tab after `items[at]`. Starts the agent at once, so that the session is forked before the other tab
   * continues.
   */
  fork(from: ChatTab, at: number, tabId: string): void {
    void this.#branch(from, at + 1, tabId).start();
  }

  /** Opens a tab next to `from` in which another agent continues the conversation. */
  continueWith(from: ChatTab, agentId: string, tabId: string): ChatTab {
    return this.#addBeside(from, continuedTab(from, this.options.agent(agentId), tabId));
  }

  /** Opens a tab that continues before a prompt, with the prompt as its draft. The old tab stays open. */
  goBack(from: ChatTab, itemId: string, tabId: string): void {
    const { items, byId } = from.transcript.transcript;
    const at = byId.get(itemId);
    const item = at === undefined ? undefined : items[at];
    if (at === undefined || item?.kind !== "user") return;
    const { record, transcript } = cutTab(from, at, tabId);
    const draft = { text: item.text, attachments: item.attachments };
    this.#addBeside(from, { record: { ...record, draft }, transcript });
  }

  /**
   * Sends a changed prompt in a new tab that replaces the prompt at `items[at]`. Cancels the old tab's turn if the replaced prompt is
   * running.
   */
  async edit(from: ChatTab, at: number, prompt: QueuedPrompt, tabId: string): Promise<void> {
    const later = from.transcript.transcript.items.slice(at + 1);
    const isRunning = !later.some((item) => item.kind === "turn-end" || (item.kind === "user" && !item.isSteered));
    if (isRunning) from.conversation?.cancel();
    const branches = [...branchesAt(from, at), { tabId, itemId: prompt.messageId }];
    for (const one of branches) this.tab(one.tabId)?.setBranches(one.itemId, branches);
    await this.#branch(from, at, tabId).prompt({ ...prompt, branches }, "send");
  }

  announce(tabIds: readonly string[], selected: string | undefined): void {
    this.#order = [...this.#order, ...tabIds.filter((tabId) => !this.#order.includes(tabId))];
    if (this.selected === undefined && selected !== undefined && this.pages.isInEditor(selected))
      this.#inEditor = selected;
    const inPanel = this.#tabIdsInPanel;
    this.#selectedInPanel ??= inPanel.find((tabId) => tabId === selected) ?? inPanel[0];
    this.pages.sendTabs();
  }

  /** Restores a tab with its transcript. The first prompt starts its agent; an open tab stays unchanged. */
  restore(stored: StoredTab): ChatTab {
    const known = this.#tabs.get(stored.record.tabId);
    if (known) return known;
    const tab = this.#add(stored);
    const { transcript } = stored.transcript;
    const { machine, isHosted: isInHost = this.options.isHosted?.() } = stored.record;
    const isHosted = machine !== undefined || isInHost === true;
    if (stored.runsInHost === true || (isHosted && hasOpenTurn(transcript))) void tab.start();
    else if (!isHosted && wasClosedInTurn(transcript)) this.options.interrupted?.();
    return tab;
  }

  forget(tabId: string): void {
    if (!this.#tabs.has(tabId)) this.#drop(tabId, this.#tabIdsInPanel.indexOf(tabId));
  }

  select(tabId: string): void {
    if (!this.#order.includes(tabId)) return;
    if (this.selected === tabId) return;
    this.#inEditor = this.pages.isInEditor(tabId) ? tabId : undefined;
    if (this.#inEditor === undefined) this.#selectedInPanel = tabId;
    this.#orderChanged();
  }

  /** Selects the tab whose page got the focus; default: the panel's tab. */
  focused(tabId = this.#selectedInPanel): void {
    if (tabId === undefined) this.#inEditor = undefined;
    else this.select(tabId);
  }

  /** Moves a tab to an editor, even before the tab is restored. */
  toEditor(tabId: string): void {
    const at = this.#tabIdsInPanel.indexOf(tabId);
    this.pages.toEditor(tabId);
    this.#selectInPanelAfter(tabId, at);
    if (this.#order.includes(tabId)) this.#orderChanged();
  }

  toPanel(tabId: string): void {
    this.pages.toPanel(tabId);
    if (this.#inEditor === tabId) this.#inEditor = undefined;
    if (!this.#order.includes(tabId)) return;
    this.#selectedInPanel ??= tabId;
    this.#orderChanged();
  }

  /** Closes a tab. In the host, the tab's turn continues, unless `ends` is set. */
  async close(tabId: string, ends = false): Promise<void> {
    const tab = this.#tabs.get(tabId);
    if (!tab) return;
    this.options.closing(tab, !ends && tab.conversation?.isKeptByHost === true);
    this.#tabs.delete(tabId);
    this.#subscriptions.get(tabId)?.[Symbol.dispose]();
    this.#subscriptions.delete(tabId);
    const at = this.#tabIdsInPanel.indexOf(tabId);
    // Close the conversation before the page. Removing the page ends the user's edit of a queued prompt, and the conversation would then
    // send the prompt.
    const closing = this.#settle(tab, ends);
    this.#closing.add(closing);
    this.pages.remove(tabId);
    this.#drop(tabId, at);
    await closing;
    this.#closing.delete(closing);
  }

  /** Resolves when the store has all tabs closed so far. */
  async whenClosed(): Promise<void> {
    await Promise.all(this.#closing);
  }

  /** Detaches all conversations and flushes pending changes to the store when the window closes. */
  detach(): void {
    for (const tab of this.#tabs.values()) {
      tab.conversation?.detach();
      tab.transcript.flush();
    }
  }

  /** Opens a tab next to `from` that continues before `items[at]`. */
  #branch(from: ChatTab, at: number, tabId: string): ChatTab {
    return this.#addBeside(from, cutTab(from, at, tabId));
  }

  #addBeside(from: ChatTab, cut: CutTab): ChatTab {
    const { tabId } = cut.record;
    this.#order.splice(this.#order.indexOf(from.tabId) + 1, 0, tabId);
    const tab = this.#add(cut);
    if (this.pages.isInEditor(from.tabId)) this.options.openInEditor(tabId);
    else this.select(tabId);
    return tab;
  }

  #add({ record, transcript }: StoredTab): ChatTab {
    const { store, conversations } = this.options;
    const tab = new ChatTab(transcript, record, {
      converse: (one) => conversations.converse(one),
      isUpToDate: (one, conversation) => conversations.isUpToDate(one, conversation),
      recordChanged: (one) => store.recordChanged(one),
    });
    this.#tabs.set(record.tabId, tab);
    const subscription = transcript.onChanges((changes) => {
      if (changes.some(({ op }) => op === "tab")) this.options.changed();
    });
    this.#subscriptions.set(record.tabId, subscription);
    if (!this.#order.includes(record.tabId)) this.#order.push(record.tabId);
    store.add(tab);
    this.pages.add(tab);
    this.#orderChanged();
    return tab;
  }

  async #settle(tab: ChatTab, ends: boolean): Promise<void> {
    await tab.close(ends);
    tab.transcript.flush();
    await this.options.store.closed(tab);
  }

  get #tabIdsInPanel(): readonly string[] {
    return this.#order.filter((tabId) => !this.pages.isInEditor(tabId));
  }

  #drop(tabId: string, atInPanel: number): void {
    const at = this.#order.indexOf(tabId);
    if (at === -1) return;
    this.#order.splice(at, 1);
    if (this.#inEditor === tabId) this.#inEditor = undefined;
    this.#selectInPanelAfter(tabId, atInPanel);
    this.#orderChanged();
  }

  #selectInPanelAfter(tabId: string, at: number): void {
    const inPanel = this.#tabIdsInPanel;
    if (this.#selectedInPanel === tabId) this.#selectedInPanel = inPanel[Math.min(at, inPanel.length - 1)];
  }

  #orderChanged(): void {
    this.pages.sendTabs();
    this.options.store.orderChanged(this.#order, this.selected);
    this.options.changed();
  }
}

function freshTranscript(state: TabState): TabTranscript {
  return new TabTranscript(newTranscript(state));
}
