import * as l10n from "@vscode/l10n";
import { stat } from "node:fs/promises";
import type { StoredSession } from "@symposium-dev/core/node";
import { applyChange, newTabState, type Transcript } from "../../../protocol/index.js";
import type { HostedSession, HostedSessions } from "../../acp/hosted-sessions.js";
import { lacksEnd, wasClosedInTurn } from "../../acp/interrupted-turn.js";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import { continuedNotice } from "../chat/continuing.js";
import type { ChatTab } from "../chat/chat-tab.js";
import type { ChatTabs, StoredTab } from "../chat/chat-tabs.js";
import { type TabRecord, TabTranscript } from "../chat/tab-transcript.js";
import type { Logger } from "../log/logger.js";
import { activityIn, HistorySearch, type PastConversation } from "./history-search.js";
import { keptAs } from "./closed-tab-to-store.js";
import { endedConversation, takeRestOfTurn } from "./rest-of-turn.js";
import { LiveSessions, sessionsOn, tabInHost } from "./sessions-in-hosts.js";
import type { StoredConversations } from "./stored-conversations.js";
import { promptsOf, type TabArchive } from "./tab-archive.js";
import type { TabSummary } from "./tab-summary.js";

type AgentName = { readonly id: string; readonly name: string };

interface ConversationHistoryOptions {
  readonly archive: TabArchive;
  readonly store: StoredConversations;
  readonly tabs: Pick<ChatTabs, "tabs" | "whenClosed">;
  readonly agents: {
    find(): AgentName;
    findKept(name: string): Promise<AgentName | undefined>;
    keptName(agentId: string): string;
  };
  readonly folder: () => string;
  /** Whether the host keeps the turn of a closed tab. */
  readonly isHosted: () => boolean;
  readonly hosted: Pick<HostedSessions, "has" | "list" | "stop">;
  /** Asks other machines' hosts. */
  readonly commandLine: Pick<SubcommandRunner, "json">;
  readonly logger: Logger;
  readonly tell: (text: string) => void;
}

/**
 * Open and past conversations. All editors share one conversation store; a closed tab's own files are deleted once the store has the tab's
 * content, and are kept if the store is off.
 */
export class ConversationHistory {
  #settling: Promise<void> = Promise.resolve();
  readonly #unmoved = new Set<string>();

  constructor(private readonly options: ConversationHistoryOptions) {}

  /**
   * Returns the conversations open in this window in tab order, then all others, latest first. `elsewhere` are sessions on other machines.
   */
  async search(elsewhere: readonly HostedSession[] = []): Promise<HistorySearch> {
    const { archive, store } = this.options;
    return new HistorySearch(await this.#all(elsewhere), (tabId) => archive.journalOf(tabId), store);
  }

  /**
   * Returns the sessions on other machines that have an open chat of this window or a chat that was closed during a turn. Leaves out
   * machines that can't be reached.
   */
  async elsewhere(): Promise<readonly HostedSession[]> {
    const { archive, tabs, commandLine, folder } = this.options;
    const machines = new Set(tabs.tabs.flatMap(({ record }) => record.machine?.on ?? []));
    for (const { record } of await archive.summaries()) {
      const { machine, tabId } = record;
      if (machine && !machines.has(machine.on) && (await archive.isInTurn(tabId))) machines.add(machine.on);
    }
    const found = await Promise.all([...machines].map((on) => sessionsOn(on, commandLine, folder()).catch(() => [])));
    return found.flat();
  }

  /** Returns the conversation with the id `id` in the store: its open tab in this window, or a history entry that can be opened. */
  async kept(id: string): Promise<ChatTab | PastConversation | undefined> {
    const { store, tabs } = this.options;
    const session = (await store.list()).find((one) => one.id === id)?.session;
    const open = tabs.tabs.find(({ record }) => session !== undefined && record.sessionId === session);
    return open ?? (await this.#all([])).find(({ stored }) => stored.some((one) => one.id === id));
  }

  async closed(tabId: string): Promise<PastConversation | undefined> {
    await this.options.tabs.whenClosed();
    const tab = await this.options.archive.summary(tabId);
    return tab && { ...tab, stored: [], tab };
  }

  /**
   * Loads a tab from its own transcript, else from the store. The rest of a turn that ended after the tab or its window was closed comes
   * from the store if the host no longer has the session. Returns undefined if neither can be read.
   */
  async load(summary: TabSummary): Promise<StoredTab | undefined> {
    const own = summary.conversation === undefined ? await this.options.archive.load(summary) : undefined;
    const ended = own && (await this.#endedInStore(own));
    if (ended) takeRestOfTurn(own.transcript.transcript, ended);
    if (own) return own;
    const { tabId, sessionId = tabId } = summary.record;
    const all = await this.options.store.list();
    const stored = all.find(({ id, session }) => id === summary.conversation || session === sessionId);
    const read = stored && (await this.#read(stored, { id: summary.agentId, name: summary.agentName }));
    if (!stored || !read) {
      this.options.logger.warn("history", "a stored tab couldn't be read", { tabId });
      return undefined;
    }
    read.state = { ...read.state, title: summary.title };
    const prompts = read.items.flatMap((item) => (item.kind === "user" && item.isSteered !== true ? item : []));
    for (const { prompt, id, branches } of summary.branches ?? []) {
      const item = prompts[prompt];
      const at = item && read.byId.get(item.id);
      if (item === undefined || at === undefined) continue;
      read.items[at] = { ...item, id, branches };
      read.byId.delete(item.id);
      read.byId.set(id, at);
    }
    return { record: { ...summary.record, sessionId }, transcript: new TabTranscript(read) };
  }

  /** Opens a conversation as a tab. Returns undefined if the conversation can't be read or is open in another window. */
  async open({ stored: [stored], tab, live }: PastConversation): Promise<StoredTab | undefined> {
    const { archive } = this.options;
    const tabId = tab?.record.tabId ?? `kept-${stored?.id ?? live?.sessionId ?? ""}`;
    if (!(await archive.claim(tabId))) return undefined;
    const read = tab
      ? await this.load(tab)
      : stored
        ? await this.#fromStore(stored, tabId, live !== undefined)
        : live && tabInHost(live, tabId, await this.#agentOf(live));
    if (!read) await archive.release(tabId);
    return read;
  }

  async transcript({ stored: [stored], tab, open, agentName }: PastConversation): Promise<Transcript | undefined> {
    if (open) return open.transcript.transcript;
    if (tab) return (await this.load(tab))?.transcript.transcript;
    return stored && this.#read(stored, { id: agentName, name: agentName });
  }

  /** Stops a conversation's turn, in this window or in the host. */
  async stop({ open, live }: PastConversation): Promise<void> {
    if (open) open.conversation?.cancel();
    else if (live) await this.options.hosted.stop(live);
  }

  /** Archives a conversation, or moves it out of the archive. */
  async archive(past: PastConversation, isArchived: boolean): Promise<void> {
    await this.options.store.archive(
      (await this.#storedOf(past)).map(({ id }) => id),
      isArchived,
    );
  }

  /** Renames a conversation. Rejects or returns false if it is open elsewhere. */
  async rename(past: PastConversation, title: string): Promise<boolean> {
    const { tab } = past;
    for (const { id } of await this.#storedOf(past)) await this.options.store.rename(id, title);
    return tab === undefined || this.options.archive.rename(tab, title);
  }

  /** Deletes a conversation. Rejects or returns false if it is open elsewhere. */
  async delete(past: PastConversation): Promise<boolean> {
    const { tab } = past;
    await this.options.store.delete((await this.#storedOf(past)).map(({ id }) => id));
    return tab === undefined || this.options.archive.delete(tab.record.tabId);
  }

  /** Returns the current stored sessions, since a closed tab may have been moved to the store after the listing. */
  async #storedOf({ stored, tab }: PastConversation): Promise<readonly StoredSession[]> {
    if (stored.length > 0 || tab === undefined) return stored;
    await this.#settling;
    return this.options.store.ofSession(tab.record.sessionId ?? tab.record.tabId);
  }

  /** Moves closed tabs to the conversation store. Tabs that can't be moved stay, and the user is notified once. */
  settle(): Promise<void> {
    this.#settling = this.#settling.then(() => this.#settle());
    return this.#settling;
  }

  async #settle(): Promise<void> {
    const { archive, logger, store, tell } = this.options;
    const told = this.#unmoved.size;
    for (const summary of await archive.summaries()) {
      const { record, isOpen, conversation, prompts } = summary;
      if (isOpen || prompts === 0 || this.#unmoved.has(record.tabId)) continue;
      try {
        if (conversation !== undefined && (await store.isDeleted(conversation))) {
          await this.#forget(record.tabId, conversation);
        } else if (conversation === undefined || (await archive.isHalfKept(summary))) await this.#move(record.tabId);
      } catch (thrown) {
        // The store is off or unavailable; retry at the next settle.
        logger.info("history", "closed tabs stay in this window's own store", { reason: String(thrown) });
        break;
      }
    }
    const left = this.#unmoved.size - told;
    if (left === 0) return;
    const what = left === 1 ? l10n.t("1 earlier conversation") : l10n.t("{0} earlier conversations", left);
    tell(
      l10n.t(
        "{0} of this folder couldn't be moved to the common store because the files are damaged. They stay in the list.",
        what,
      ),
    );
  }

  /** Deletes a closed tab, including unsent prompts, whose conversation the user deleted in any editor. */
  async #forget(tabId: string, conversation: string): Promise<void> {
    const { archive, tabs } = this.options;
    if (tabs.tabs.some((tab) => tab.tabId === tabId) || !(await archive.claim(tabId))) return;
    try {
      // Another window may have used the tab since the tabs were listed.
      const summary = await archive.summary(tabId);
      if (summary?.isOpen === false && summary.conversation === conversation) await archive.forget(tabId);
    } finally {
      await archive.release(tabId);
    }
  }

  async #move(tabId: string): Promise<void> {
    const { archive, store, agents, folder, logger } = this.options;
    const isOpenHere = (): boolean => this.options.tabs.tabs.some((tab) => tab.tabId === tabId);
    if (isOpenHere() || !(await archive.claim(tabId))) return;
    try {
      // Another window may have used the tab since the tabs were listed.
      const summary = await archive.summary(tabId);
      if (!summary || summary.isOpen) return;
      if (summary.conversation !== undefined) {
        // The window closed during an earlier move, so finish that move.
        if (await archive.isHalfKept(summary)) await archive.keptAs(summary, summary.conversation);
        return;
      }
      // When the tab is opened again, only its own transcript can continue the turn.
      const isHosted = summary.record.machine !== undefined || this.#isHosted(summary.record);
      if (isHosted && (await archive.isInTurn(tabId))) {
        const own = await archive.load(summary);
        if (!own || !(await this.#endedInStore(own))) return;
      }
      const agent = agents.keptName(summary.agentId);
      const { sessionId = tabId } = summary.record;
      if (await store.wasDeleted(agent, sessionId, summary.updatedAt)) {
        if (!isOpenHere()) await archive.forget(tabId);
        return;
      }
      const id = await keptAs({
        summary,
        journal: archive.journalOf(tabId),
        exported: archive.exportOf(tabId),
        store,
        agent,
        cwd: summary.record.folder ?? folder(),
      });
      if (isOpenHere()) return;
      if (id === undefined) {
        this.#unmoved.add(tabId);
        logger.warn("history", "a conversation could not be moved", { file: archive.journalOf(tabId) });
        return;
      }
      if (summary.record.isRenamed === true) await store.rename(id, summary.title).catch(() => undefined);
      // The tab may have been reopened during the import.
      if (!isOpenHere()) await archive.keptAs(summary, id);
    } finally {
      // The export is an unredacted copy, so delete it.
      await archive.dropExport(tabId);
      await archive.release(tabId);
    }
  }

  /** Returns the stored conversation with the end of a tab's last turn if the tab lacks the end and the host can't send it any more. */
  async #endedInStore({ record, transcript: { transcript } }: StoredTab): Promise<Transcript | undefined> {
    const { hosted, store } = this.options;
    const { machine, sessionId } = record;
    if (machine || !this.#isHosted(record) || sessionId === undefined || !wasClosedInTurn(transcript)) return undefined;
    if (await hosted.has(sessionId).catch(() => true)) return undefined;
    return endedConversation(transcript, sessionId, store).catch(() => undefined);
  }

  #isHosted({ isHosted }: TabRecord): boolean {
    return isHosted === true || this.options.isHosted();
  }

  async #all(elsewhere: readonly HostedSession[]): Promise<readonly PastConversation[]> {
    const { archive, store, tabs, hosted } = this.options;
    await tabs.whenClosed();
    const live = new LiveSessions([...(await hosted.list()), ...elsewhere]);
    for (const { record } of tabs.tabs) live.of(record.sessionId, record.machine?.on);
    const isArchived = await store.archived();
    const open = new Set(tabs.tabs.flatMap(({ tabId, record }) => [tabId, record.sessionId ?? tabId]));
    const closed = (await archive.summaries()).filter(
      ({ record, prompts }) => prompts > 0 && !open.has(record.tabId) && !open.has(record.sessionId ?? ""),
    );
    const bySession = new Map<string, StoredSession[]>();
    for (const stored of await store.list()) {
      const key = `${stored.agent}\n${stored.session}`;
      if (!open.has(stored.session)) bySession.set(key, [...(bySession.get(key) ?? []), stored]);
    }
    const own = new Map(closed.map((tab) => [tab.record.sessionId ?? tab.record.tabId, tab]));
    const all = [...bySession.values()].flatMap((stored): PastConversation | [] => {
      const [latest] = stored;
      if (!latest) return [];
      const tab = own.get(latest.session);
      own.delete(latest.session);
      const state = live.of(latest.session);
      return {
        title: tab?.title ?? (latest.title || latest.agent),
        agentName: tab?.agentName ?? latest.agent,
        updatedAt: latest.updated,
        prompts: latest.turns,
        folder: latest.cwd,
        stored,
        ...(tab && { tab }),
        ...state,
        ...(isArchived(latest) && !state.live && { isArchived: true }),
      };
    });
    // Skip tabs that have no transcript of their own, because the history couldn't show them.
    const apart = [...own.values()].filter(({ conversation }) => conversation === undefined);
    const others = apart.map((tab): PastConversation => ({
      ...{ ...tab, stored: [], tab },
      ...live.of(tab.record.sessionId, tab.record.machine?.on),
    }));
    const openHere = tabs.tabs.filter((tab) => promptsOf(tab) > 0).map(openConversation);
    const isIdle = (past: PastConversation): number => (activityIn(past) === undefined ? 1 : 0);
    const closedHere = [...all, ...others, ...live.others()];
    return [...openHere, ...closedHere.sort((a, b) => isIdle(a) - isIdle(b) || b.updatedAt - a.updatedAt)];
  }

  /** Returns the agent that a session's tab shows. A session in the host keeps its own agent, even if this window doesn't offer it. */
  async #agentOf({ agent, on }: HostedSession): Promise<AgentName> {
    const { agents } = this.options;
    if (on !== undefined) return { id: on, name: on };
    return (await agents.findKept(agent)) ?? { id: agents.find().id, name: agent || agents.find().name };
  }

  async #fromStore(stored: StoredSession, tabId: string, isLive: boolean): Promise<StoredTab | undefined> {
    const { agents } = this.options;
    const known = await agents.findKept(stored.agent);
    const agent = known ?? (isLive ? { id: agents.find().id, name: stored.agent } : agents.find());
    const read = await this.#read(stored, agent);
    if (!read) return undefined;
    // If the folder is gone, the conversation uses this window's folder.
    const isThere = await stat(stored.cwd).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const record = { tabId, createdAt: stored.started, ...(isThere && { folder: stored.cwd }) };
    if (known || isLive) {
      return {
        record: { ...record, sessionId: stored.session, isKept: true, ...(isLive && { isHosted: true }) },
        transcript: new TabTranscript(read),
        ...(isLive && lacksEnd(read) && { runsInHost: true }),
      };
    }
    // The agent isn't available here, so the default agent continues the conversation.
    applyChange(read, { op: "put", item: continuedNotice(agent.name, stored.agent) });
    const branch = { isWhole: true, from: { agentName: stored.agent, kept: stored.id }, options: [] };
    return { record: { ...record, branch }, transcript: new TabTranscript(read) };
  }

  async #read({ id, title }: StoredSession, agent: AgentName): Promise<Transcript | undefined> {
    const state = { ...newTabState(agent), phase: "ready" as const, ...(title !== "" && { title }) };
    return this.options.store.transcript(id, state);
  }
}

function openConversation(tab: ChatTab): PastConversation {
  const { items, state } = tab.transcript.transcript;
  const lastSentAt = items.findLast((item) => item.kind === "user")?.sentAt;
  return {
    title: state.title,
    agentName: state.agentName,
    updatedAt: lastSentAt ?? tab.record.createdAt,
    prompts: promptsOf(tab),
    ...(tab.record.folder !== undefined && { folder: tab.record.folder }),
    stored: [],
    open: tab,
  };
}
