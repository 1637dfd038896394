import * as l10n from "@vscode/l10n";
import { basename } from "node:path";
import { SymposiumError } from "@symposium-dev/core";
import type {
  Action,
  Branch,
  Draft,
  ItemOf,
  Position,
  PromptTime,
  QueuedPrompt,
  TabState,
} from "../../../protocol/index.js";
import { startNotice, startNoticeId } from "../../acp/conversation-notices.js";
import type { Conversation } from "../../acp/conversation.js";
import type { TabRecord, TabTranscript } from "./tab-transcript.js";

/** Action offered if an agent can't start because the workspace isn't trusted. */
export const manageTrust: Action = { id: "manage-trust", label: l10n.t("Manage workspace trust"), style: "primary" };

/** Thrown if an agent should start in an untrusted workspace. */
export class RestrictedMode extends SymposiumError {
  constructor() {
    super(
      "component-start-failed",
      l10n.t("No agent can start because this window is in Restricted Mode."),
      l10n.t("Trust the workspace to use agents in it."),
    );
  }
}

export interface ChatTabHooks {
  /** Creates a tab's conversation: finds the agent and asks the user if necessary. Rejects with a message for the user. */
  converse(tab: ChatTab): Promise<Conversation>;
  isUpToDate(tab: ChatTab, conversation: Conversation): Promise<boolean>;
  recordChanged(tab: ChatTab): void;
}

const maxTitleChars = 60;
const staleNoticeId = "symposium:settings-changed";

export class ChatTab {
  #record: TabRecord;
  #hasOldQueue: boolean;
  #conversation: Conversation | undefined;
  #edited: string | undefined;
  /** Scroll position; undefined for the end. */
  place: Position | undefined;
  #making: Promise<Conversation | undefined> | undefined;
  /** Pending check before a restart whether the conversation can be reused. Prompts sent meanwhile wait for the restarted agent. */
  #checking: Promise<boolean> | undefined;

  constructor(
    readonly transcript: TabTranscript,
    record: TabRecord,
    private readonly hooks: ChatTabHooks,
  ) {
    this.#record = record;
    this.#hasOldQueue = transcript.transcript.state.queue.length > 0;
    const { worktree, folder } = record;
    if (folder !== undefined && this.state.folder === undefined) this.#patch({ folder: basename(folder) });
    if (!worktree || this.state.worktree) return;
    const { root, branch } = worktree;
    this.#patch({ folder: basename(root), worktree: { name: basename(root), branch, path: root } });
  }

  /** True if prompts from an earlier window are queued and the user hasn't sent a prompt since. */
  get hasOldQueue(): boolean {
    return this.#hasOldQueue;
  }

  get tabId(): string {
    return this.#record.tabId;
  }

  get record(): TabRecord {
    return this.#record;
  }

  get state(): TabState {
    return this.transcript.transcript.state;
  }

  get draft(): Draft | undefined {
    return this.#record.draft;
  }

  get conversation(): Conversation | undefined {
    return this.#conversation;
  }

  async start(): Promise<void> {
    const conversation = await this.#ready();
    await conversation?.start();
  }

  /** Retries a failed start after the workspace became trusted. */
  async trusted(): Promise<void> {
    if (!this.#conversation && this.state.phase === "failed") await this.start();
  }

  async restart(): Promise<void> {
    const known = this.#conversation;
    const checking = known && this.hooks.isUpToDate(this, known);
    this.#checking = checking;
    let isUpToDate: boolean | undefined;
    try {
      // Callers that wait for the same check continue after this await, because they began to wait later.
      isUpToDate = await checking;
    } finally {
      if (this.#checking === checking) this.#checking = undefined;
    }
    if (isUpToDate === true) {
      await known?.restart();
      return;
    }
    this.#conversation = undefined;
    await known?.release();
    await this.start();
    this.#clearNotice(staleNoticeId);
  }

  /** Shows a restart notice if the settings have changed since the agent started; otherwise removes the notice. */
  async checkSettings(): Promise<void> {
    const known = this.#conversation;
    if (!known) return;
    const isUpToDate = await this.hooks.isUpToDate(this, known);
    if (isUpToDate) this.#clearNotice(staleNoticeId);
    if (isUpToDate || this.transcript.transcript.byId.has(staleNoticeId)) return;
    const action = { id: "restart", label: l10n.t("Restart agent"), style: "primary" } as const;
    const text = l10n.t(
      "This session still uses the earlier settings. It continues with the new ones after you restart the agent.",
    );
    this.notice({ id: staleNoticeId, severity: "info", title: l10n.t("Settings changed"), text, actions: [action] });
  }

  async prompt(prompt: QueuedPrompt, when: PromptTime): Promise<void> {
    const { text, edit } = this.draft ?? {};
    if (text === prompt.text) this.setDraft({ text: "", attachments: [], ...(edit && { edit }) });
    this.#titleByPrompt(prompt.text);
    const conversation = await this.#ready();
    if (conversation) {
      conversation.prompt(prompt, when);
      return;
    }
    this.#hasOldQueue = false;
    if (!this.state.queue.some(({ messageId }) => messageId === prompt.messageId))
      this.#patch({ queue: [...this.state.queue, prompt] });
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    const conversation = await this.#ready();
    await conversation?.setOption(optionId, value);
  }

  /** Marks the queued prompt that the user is editing, which pauses sending it; undefined ends the edit. */
  setEdited(messageId: string | undefined): void {
    this.#edited = messageId;
    this.#conversation?.setEdited(messageId);
  }

  /** Changes the text of a queued prompt. Returns false if the prompt is no longer queued. */
  editQueued(messageId: string, text: string): boolean {
    if (this.#conversation) return this.#conversation.queue.edit(messageId, text);
    this.#patch({ queue: this.state.queue.map((one) => (one.messageId === messageId ? { ...one, text } : one)) });
    return this.state.queue.some((one) => one.messageId === messageId);
  }

  removeQueued(messageId: string): void {
    if (this.#conversation) this.#conversation.queue.remove(messageId);
    else this.#patch({ queue: this.state.queue.filter((one) => one.messageId !== messageId) });
  }

  async sendNow(messageId: string): Promise<void> {
    const conversation = await this.#ready();
    conversation?.sendNow(messageId);
  }

  async retry(cardId: string): Promise<void> {
    const conversation = await this.#ready();
    conversation?.retry(cardId);
  }

  /** Publishes the card again after an action, because the page shows the action's button as pressed until the card is updated. */
  acted(itemId: string): void {
    const { items, byId } = this.transcript.transcript;
    const item = items[byId.get(itemId) ?? -1];
    if (item) this.transcript.publish({ op: "put", item });
  }

  /** Returns the full text behind a shortened one. Without an agent, returns the text in the transcript. */
  full(itemId: string, what: string): { readonly title: string; readonly text: string } {
    const { items, byId, terminals } = this.transcript.transcript;
    const item = items[byId.get(itemId) ?? -1];
    const title = item?.kind === "tool" ? item.title : what;
    const shown = item?.kind === "tool" ? (what === "input" ? item.input : item.output) : undefined;
    const text = terminals.get(what)?.text ?? this.#conversation?.full(itemId, what) ?? shown ?? "";
    return { title, text };
  }

  setDraft(draft: Draft): void {
    const { draft: _old, ...rest } = this.#record;
    const isEmpty = draft.text === "" && draft.attachments.length === 0 && !draft.edit;
    this.#setRecord(isEmpty ? rest : { ...rest, draft });
    if (!isEmpty && !this.#conversation && rest.sessionId !== undefined && this.state.phase === "ready")
      void this.start();
  }

  rename(title: string): void {
    const name = title.trim().slice(0, 200);
    if (name === "") return;
    this.#setRecord({ ...this.#record, isRenamed: true });
    this.#patch({ title: name });
  }

  /** Sets the title that the agent chose, unless the user renamed the tab. Ignores undefined and empty titles. */
  setAgentTitle(title: string | undefined): void {
    if (this.#record.isRenamed === true || title === undefined || title.trim() === "") return;
    this.#patch({ title: title.trim().slice(0, 200) });
  }

  /**
   * Records the agent's session. `isKept`: the conversation store has the whole conversation under this session id. `knowsAll`: the session
   * needs no hand-off of an earlier conversation.
   */
  setSession(sessionId: string, isKept: boolean, knowsAll: boolean): void {
    const { branch, isKept: _isKept, ...rest } = this.#record;
    this.#setRecord({ ...rest, sessionId, ...(isKept && { isKept }), ...(branch && !knowsAll && { branch }) });
  }

  told(): void {
    const { branch: _branch, ...rest } = this.#record;
    this.#setRecord(rest);
  }

  setBranches(itemId: string, branches: readonly Branch[]): void {
    const { items, byId } = this.transcript.transcript;
    const item = items[byId.get(itemId) ?? -1];
    if (item?.kind === "user") this.transcript.publish({ op: "put", item: { ...item, branches: [...branches] } });
  }

  setFolder(folder: string): void {
    this.#setRecord({ ...this.#record, folder });
    this.#patch({ folder: basename(folder) });
  }

  setUnread(isUnread: boolean): void {
    if (this.state.isUnread !== isUnread) this.#patch({ isUnread });
  }

  notice(notice: Omit<ItemOf<"notice">, "kind">): void {
    this.transcript.publish({ op: "put", item: { kind: "notice", ...notice } });
  }

  /** Closes the conversation; see {@link Conversation.close}. */
  async close(ends = false): Promise<void> {
    const conversation = this.#conversation ?? (await this.#making);
    await conversation?.close(ends);
  }

  #ready(): Promise<Conversation | undefined> {
    if (this.#checking) return this.#checking.then(() => this.#ready());
    if (this.#conversation) return Promise.resolve(this.#conversation);
    this.#making ??= this.#make().finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #make(): Promise<Conversation | undefined> {
    try {
      this.#conversation = await this.hooks.converse(this);
      this.#conversation.setEdited(this.#edited);
      this.#clearNotice(startNoticeId);
      return this.#conversation;
    } catch (thrown) {
      this.#clearNotice(startNoticeId);
      const { kind: _kind, ...notice } = startNotice(this.state.agentName, thrown);
      this.notice(
        thrown instanceof RestrictedMode ? { ...notice, severity: "warning", actions: [manageTrust] } : notice,
      );
      this.#patch({ phase: "failed" });
      return undefined;
    }
  }

  #titleByPrompt(text: string): void {
    if (this.#record.isRenamed === true || this.state.title !== this.state.agentName) return;
    const line = text.trim().split("\n", 1)[0]?.trim() ?? "";
    if (line === "") return;
    this.#patch({ title: line.length > maxTitleChars ? `${line.slice(0, maxTitleChars)}…` : line });
  }

  #setRecord(record: TabRecord): void {
    this.#record = record;
    this.hooks.recordChanged(this);
  }

  #clearNotice(id: string): void {
    if (this.transcript.transcript.byId.has(id)) this.transcript.publish({ op: "remove", id });
  }

  #patch(patch: Partial<TabState>): void {
    this.transcript.publish({ op: "tab", patch });
  }
}
