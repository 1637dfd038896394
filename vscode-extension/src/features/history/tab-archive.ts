import * as l10n from "@vscode/l10n";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { parsedValue, messageOf } from "@symposium-dev/core";
import { atomicWrite } from "@symposium-dev/core/node";
import { applyChange, type Item, type Transcript } from "../../../protocol/index.js";
import type { ChatTab } from "../chat/chat-tab.js";
import type { StoredTab, TabStore } from "../chat/chat-tabs.js";
import { TabTranscript } from "../chat/tab-transcript.js";
import type { Logger } from "../log/logger.js";
import { Journal } from "./journal.js";
import { type TabSummary, tabSummarySchema } from "./tab-summary.js";
import { WindowClaim } from "./window-claim.js";

/** Maximum number of closed tabs to store. If there are more, the oldest are deleted. */
const maxClosed = 200;
const summaryDelayMs = 500;

interface Kept {
  readonly tab: ChatTab;
  readonly journal: Journal;
  readonly subscription: Disposable;
  summaryTimer: ReturnType<typeof setTimeout> | undefined;
  /** Chain of summary writes, so that the last one wins. */
  summarised: Promise<void>;
  /** True if the tab changed since it was opened. */
  isChanged: boolean;
  /** True if the tab was opened with prompts but without a journal: its conversation is in the shared store. */
  readonly isCopy: Promise<boolean>;
}

/**
 * Stores each tab in its own folder, as a journal of the transcript and a summary. Open tabs reappear in the next window, closed tabs form
 * the history; failures are only logged.
 */
export class TabArchive implements TabStore, AsyncDisposable {
  readonly #folder: string;
  readonly #claim = new WindowClaim();
  readonly #kept = new Map<string, Kept>();
  readonly #closing = new Set<string>();
  #order: readonly string[] = [];
  #selected: string | undefined;

  constructor(
    storage: string,
    private readonly logger: Logger,
    private readonly onClosed: () => void = () => undefined,
  ) {
    this.#folder = join(storage, "tabs");
  }

  /** Claims the tabs that were open when the last window closed and that no window owns. Returns them in order. */
  async claimOpen(): Promise<TabSummary[]> {
    const isOurs = (tabId: string): boolean => this.#kept.has(tabId) || this.#closing.has(tabId);
    const open = (await this.summaries()).filter(({ isOpen, record }) => isOpen && !isOurs(record.tabId));
    const ours: TabSummary[] = [];
    for (const { record } of open) {
      if (!(await this.claim(record.tabId))) continue;
      // Another window may have owned and closed the tab since the tabs were listed.
      const summary = await this.summary(record.tabId);
      if (summary?.isOpen) ours.push(summary);
      else await this.release(record.tabId);
    }
    return ours.sort((a, b) => a.order - b.order);
  }

  async claim(tabId: string): Promise<boolean> {
    try {
      return await this.#claim.claim(this.#pathOf(tabId));
    } catch (thrown) {
      this.#failed("a tab was not claimed", messageOf(thrown));
      return false;
    }
  }

  async release(tabId: string): Promise<void> {
    if (!this.#kept.has(tabId)) await this.#claim.release(this.#pathOf(tabId));
  }

  /** Loads a tab's transcript and ends everything left open in it. Returns undefined if the journal can't be read. */
  async load({ record }: TabSummary): Promise<StoredTab | undefined> {
    const content = await Journal.read(this.journalOf(record.tabId));
    if (!content) return undefined;
    settleTranscript(content.transcript, Date.now());
    return { record, transcript: new TabTranscript(content.transcript, content.index) };
  }

  async summaries(): Promise<TabSummary[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const read = await Promise.all(names.map((name) => this.#readSummary(name)));
    return read.filter((summary) => summary !== undefined).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  summary(tabId: string): Promise<TabSummary | undefined> {
    return this.#readSummary(basename(this.#pathOf(tabId)));
  }

  journalOf(tabId: string): string {
    return join(this.#pathOf(tabId), "transcript.jsonl");
  }

  exportOf(tabId: string): string {
    return join(this.#pathOf(tabId), "exported.jsonl");
  }

  async dropExport(tabId: string): Promise<void> {
    await rm(this.exportOf(tabId), { force: true }).catch((thrown: unknown) =>
      this.#failed("an export was not deleted", messageOf(thrown)),
    );
  }

  /** Records that the conversation store has a closed tab's content. The tab's folder then stores only its branches and unsent prompts. */
  async keptAs(summary: TabSummary, conversation: string): Promise<void> {
    const { tabId } = summary.record;
    const content = await Journal.read(this.journalOf(tabId));
    const left = content ? leftOf(summary, content.transcript) : summary;
    // Write the summary first, so that a crash leaves no tab without its content.
    await this.#writeSummary({ ...left, isOpen: false, conversation });
    await rm(this.journalOf(tabId), { force: true });
    if (isOver(left)) await this.forget(tabId);
  }

  /** Returns whether {@link keptAs} was interrupted for a closed tab. */
  async isHalfKept(summary: TabSummary): Promise<boolean> {
    if (summary.isOpen || summary.conversation === undefined) return false;
    const hasWords = stat(this.journalOf(summary.record.tabId)).then(
      () => true,
      () => false,
    );
    return isOver(summary) || (await hasWords);
  }

  /** Returns whether a turn was running when the tab was closed. */
  async isInTurn(tabId: string): Promise<boolean> {
    return (await Journal.read(this.journalOf(tabId)))?.transcript.state.turnStartedAt !== undefined;
  }

  async forget(tabId: string): Promise<void> {
    await rm(this.#pathOf(tabId), { recursive: true, force: true });
  }

  add(tab: ChatTab): void {
    const { tabId } = tab;
    const journal = new Journal(this.journalOf(tabId), (reason) =>
      this.#failed("a transcript was not written", reason),
    );
    const { transcript } = tab.transcript;
    const subscription = tab.transcript.onChanges((changes, index) => {
      kept.isChanged = true;
      journal.append(transcript, changes, index);
      this.#summarise(kept);
    });
    const isCopy = this.#begin(tab, journal);
    const summarised = Promise.resolve();
    const kept: Kept = { tab, journal, subscription, summaryTimer: undefined, summarised, isChanged: false, isCopy };
    this.#kept.set(tabId, kept);
    void this.claim(tabId);
  }

  async #begin({ tabId, transcript }: ChatTab, journal: Journal): Promise<boolean> {
    if (!hasPrompts(transcript.transcript)) return false;
    const isThere = await stat(this.journalOf(tabId)).then(
      () => true,
      () => false,
    );
    if (isThere) return false;
    transcript.flush();
    journal.begin(transcript.transcript, transcript.index);
    return true;
  }

  recordChanged(tab: ChatTab): void {
    const kept = this.#kept.get(tab.tabId);
    if (kept) this.#summarise(kept);
  }

  orderChanged(tabIds: readonly string[], selected: string | undefined): void {
    const [order, before] = [this.#order, this.#selected];
    this.#order = [...tabIds];
    this.#selected = selected;
    for (const [tabId, kept] of this.#kept) {
      const isSame = order.indexOf(tabId) === tabIds.indexOf(tabId) && (before === tabId) === (selected === tabId);
      if (!isSame) this.#summarise(kept);
    }
  }

  async closed(tab: ChatTab): Promise<void> {
    const kept = this.#kept.get(tab.tabId);
    if (!kept) return;
    this.#kept.delete(tab.tabId);
    this.#closing.add(tab.tabId);
    const isSeenOnly = (await kept.isCopy) && !kept.isChanged && !hasOwn(tab);
    await this.#settle(kept, false);
    if (isSeenOnly || promptsOf(tab) === 0) await this.forget(tab.tabId);
    this.#closing.delete(tab.tabId);
    await this.release(tab.tabId);
    await this.#prune();
    this.onClosed();
  }

  /** Deletes a closed tab. Returns false if the tab is open in a window. */
  async delete(tabId: string): Promise<boolean> {
    if (this.#kept.has(tabId) || !(await this.claim(tabId))) return false;
    await this.forget(tabId);
    await this.release(tabId);
    return true;
  }

  /** Renames a closed tab. Returns false if the tab is open in a window. */
  async rename(summary: TabSummary, title: string): Promise<boolean> {
    const { tabId } = summary.record;
    if (this.#kept.has(tabId) || !(await this.claim(tabId))) return false;
    const renamed: TabSummary = { ...summary, title, record: { ...summary.record, isRenamed: true } };
    await this.#writeSummary(renamed);
    const content = await Journal.read(this.journalOf(tabId));
    if (content) {
      content.transcript.state = { ...content.transcript.state, title };
      const journal = new Journal(this.journalOf(tabId), (reason) => this.#failed("rename", reason));
      journal.rewrite(content.transcript, content.index);
      await journal.flushed();
    }
    await this.release(tabId);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#kept.values()].map((kept) => this.#settle(kept, true)));
    await this.#claim[Symbol.asyncDispose]();
  }

  async #settle(kept: Kept, isOpen: boolean): Promise<void> {
    clearTimeout(kept.summaryTimer);
    kept.subscription[Symbol.dispose]();
    await kept.isCopy;
    await kept.journal.flushed();
    await kept.summarised;
    // A closed tab without prompts needs no summary.
    if (isOpen || promptsOf(kept.tab) > 0) await this.#writeSummary(this.#summaryOf(kept.tab, isOpen));
  }

  #summarise(kept: Kept): void {
    kept.summaryTimer ??= setTimeout(() => {
      kept.summaryTimer = undefined;
      kept.summarised = kept.summarised.then(() => this.#writeSummary(this.#summaryOf(kept.tab, true)));
    }, summaryDelayMs);
  }

  #summaryOf(tab: ChatTab, isOpen: boolean): TabSummary {
    const { title, agentId, agentName } = tab.state;
    return {
      version: 1,
      record: tab.record,
      title,
      agentId,
      agentName,
      isOpen,
      order: Math.max(0, this.#order.indexOf(tab.tabId)),
      isSelected: this.#selected === tab.tabId,
      updatedAt: Date.now(),
      prompts: promptsOf(tab),
    };
  }

  async #writeSummary(summary: TabSummary): Promise<void> {
    const folder = this.#pathOf(summary.record.tabId);
    try {
      await mkdir(folder, { recursive: true });
      await atomicWrite(join(folder, "tab.json"), JSON.stringify(summary));
    } catch (thrown) {
      this.#failed("a tab's summary was not written", messageOf(thrown));
    }
  }

  async #readSummary(name: string): Promise<TabSummary | undefined> {
    const text = await readFile(join(this.#folder, name, "tab.json"), "utf8").catch(() => "");
    return tabSummarySchema.safeParse(parsedValue(text)).data;
  }

  async #prune(): Promise<void> {
    const closed = (await this.summaries()).filter(({ isOpen }) => !isOpen);
    for (const { record } of closed.slice(maxClosed)) await this.delete(record.tabId);
  }

  /** Pages choose tab ids, so encode any that aren't plain names. */
  #pathOf(tabId: string): string {
    const name = /^[\w-]{1,64}$/.test(tabId) ? tabId : `id-${Buffer.from(tabId).toString("hex").slice(0, 120)}`;
    return join(this.#folder, name);
  }

  #failed(event: string, reason: string): void {
    this.logger.error("history", event, { reason });
  }
}

/**
 * Returns the summary of a tab whose conversation is in the shared store. Unsent prompts become the draft, because the tab no longer has a
 * journal to store them.
 */
function leftOf(summary: TabSummary, { items, state }: Transcript): TabSummary {
  const prompts = items.filter((item) => item.kind === "user");
  const branches = prompts.flatMap(({ id, branches: all }, prompt) => (all ? [{ prompt, id, branches: all }] : []));
  const { draft } = summary.record;
  const edit = draft?.edit;
  const queue = state.queue.map((one) => (one.messageId === edit?.messageId ? { ...one, text: edit.text } : one));
  // If the prompt that the user was editing left the queue, keep the edited text as well.
  const isGone = edit && !state.queue.some(({ messageId }) => messageId === edit.messageId);
  const waiting = [...queue, ...(draft ? [draft] : []), ...(isGone ? [{ text: edit.text, attachments: [] }] : [])];
  const text = waiting.flatMap((one) => (one.text === "" ? [] : one.text)).join("\n\n");
  const attachments = waiting.flatMap((one) => one.attachments);
  return {
    ...summary,
    ...(waiting.length > 0 && { record: { ...summary.record, draft: { text, attachments } } }),
    ...(branches.length > 0 && { branches }),
  };
}

function isOver({ branches, record }: TabSummary): boolean {
  return branches === undefined && record.draft === undefined;
}

/** Returns whether the tab has data that the conversation store lacks: a draft or branches. */
function hasOwn({ draft, transcript: { transcript } }: ChatTab): boolean {
  return draft !== undefined || transcript.items.some((item) => item.kind === "user" && item.branches !== undefined);
}

function hasPrompts({ items }: Transcript): boolean {
  return items.some(({ kind }) => kind === "user");
}

export function promptsOf(tab: ChatTab): number {
  return tab.transcript.transcript.items.filter(({ kind }) => kind === "user").length;
}

const notAnswered = l10n.t("Not answered: the window was closed");

const closedMeanwhile = l10n.t("The window was closed before this finished.");

/** Ends all items that were open in a transcript when its window closed, so that no item waits for an agent that is gone. */
function settleTranscript(transcript: Transcript, now: number): void {
  const wasRunning = transcript.state.turnStartedAt !== undefined;
  for (const item of [...transcript.items]) {
    const settled = settle(item, now);
    if (settled !== item) applyChange(transcript, { op: "put", item: settled });
  }
  for (const [id, terminal] of transcript.terminals) {
    if (!terminal.exit) transcript.terminals.set(id, { ...terminal, exit: { code: null, signal: null } });
  }
  if (wasRunning) {
    const item = { kind: "turn-end", id: crypto.randomUUID(), stopReason: "interrupted" } as const;
    applyChange(transcript, { op: "put", item });
  }
  const queue = transcript.state.queue.map(({ isSteering: _isSteering, ...rest }) => rest);
  applyChange(transcript, { op: "tab", patch: { phase: "ready", turnStartedAt: null, waiting: 0, queue } });
}

function settle(item: Item, now: number): Item {
  switch (item.kind) {
    case "permission":
      return item.answer ? item : { ...item, answer: { label: notAnswered } };
    case "elicitation":
      return item.answer ? item : { ...item, answer: { action: "cancel", summary: notAnswered } };
    case "authentication":
      return item.state === "done" ? item : { ...item, state: "over" };
    case "tool":
      return item.status === "pending" || item.status === "in_progress"
        ? { ...item, status: "cancelled", endedAt: now }
        : item;
    case "thought":
      return item.endedAt === undefined ? { ...item, endedAt: item.startedAt } : item;
    case "notice": {
      if (!item.progress) return item;
      const { progress: _progress, text, ...rest } = item;
      return { ...rest, text: text === undefined ? closedMeanwhile : `${text} ${closedMeanwhile}` };
    }
    default:
      return item;
  }
}
