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

/** Closed tabs that are kept here; beyond that the oldest go. */
const maxClosed = 200;
const summaryDelayMs = 500;

interface Kept {
  readonly tab: ChatTab;
  readonly journal: Journal;
  readonly subscription: Disposable;
  summaryTimer: ReturnType<typeof setTimeout> | undefined;
  /** The summaries that are being written, one after the other: the last one stands. */
  summarised: Promise<void>;
  /** Something came since it was opened. */
  isChanged: boolean;
  /** It came with words of which there was no journal: they are kept elsewhere. */
  readonly isCopy: Promise<boolean>;
}

/**
 * Keeps tabs on disk, each in a folder of its own: a journal of its transcript and a summary. Open tabs come back with
 * the next window, closed ones are the history. Never rejects: a failure is logged, and the tab goes on without.
 */
export class TabArchive implements TabStore, AsyncDisposable {
  readonly #folder: string;
  readonly #claim = new WindowClaim();
  readonly #kept = new Map<string, Kept>();
  /** Closed by the user, and not yet so on disk. */
  readonly #closing = new Set<string>();
  #order: readonly string[] = [];
  #selected: string | undefined;

  constructor(
    storage: string,
    private readonly logger: Logger,
    /** A tab is closed, and as it was left on disk. */
    private readonly onClosed: () => void = () => undefined,
  ) {
    this.#folder = join(storage, "tabs");
  }

  /** The tabs that were open when the last window closed and belong to nobody now, in order. From now on they are ours. */
  async claimOpen(): Promise<TabSummary[]> {
    const isOurs = (tabId: string): boolean => this.#kept.has(tabId) || this.#closing.has(tabId);
    const open = (await this.summaries()).filter(({ isOpen, record }) => isOpen && !isOurs(record.tabId));
    const ours: TabSummary[] = [];
    for (const { record } of open) {
      if (!(await this.claim(record.tabId))) continue;
      // Another window may have had it, and closed it, since it was looked at.
      const summary = await this.summary(record.tabId);
      if (summary?.isOpen) ours.push(summary);
      else await this.release(record.tabId);
    }
    return ours.sort((a, b) => a.order - b.order);
  }

  /** Claims one tab, also one of the history. */
  async claim(tabId: string): Promise<boolean> {
    try {
      return await this.#claim.claim(this.#pathOf(tabId));
    } catch (thrown) {
      this.#failed("a tab was not claimed", messageOf(thrown));
      return false;
    }
  }

  /** Gives back a claim, unless the tab is open here. */
  async release(tabId: string): Promise<void> {
    if (!this.#kept.has(tabId)) await this.#claim.release(this.#pathOf(tabId));
  }

  /** The transcript of a tab as it was left; what was open in it is settled. Undefined where it cannot be read. */
  async load({ record }: TabSummary): Promise<StoredTab | undefined> {
    const content = await Journal.read(this.journalOf(record.tabId));
    if (!content) return undefined;
    settleTranscript(content.transcript, Date.now());
    return { record, transcript: new TabTranscript(content.transcript, content.index) };
  }

  /** Every stored tab, open or closed, the latest first. */
  async summaries(): Promise<TabSummary[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const read = await Promise.all(names.map((name) => this.#readSummary(name)));
    return read.filter((summary) => summary !== undefined).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** One of them; undefined where there is none. */
  summary(tabId: string): Promise<TabSummary | undefined> {
    return this.#readSummary(basename(this.#pathOf(tabId)));
  }

  journalOf(tabId: string): string {
    return join(this.#pathOf(tabId), "transcript.jsonl");
  }

  /** Where a closed tab is written for the command to read. */
  exportOf(tabId: string): string {
    return join(this.#pathOf(tabId), "exported.jsonl");
  }

  async dropExport(tabId: string): Promise<void> {
    await rm(this.exportOf(tabId), { force: true }).catch((thrown: unknown) =>
      this.#failed("an export was not deleted", messageOf(thrown)),
    );
  }

  /** All of a closed tab is kept under that id with all conversations: here only what others lead to it by, and what waits to be sent. */
  async keptAs(summary: TabSummary, conversation: string): Promise<void> {
    const { tabId } = summary.record;
    const content = await Journal.read(this.journalOf(tabId));
    const left = content ? leftOf(summary, content.transcript) : summary;
    // First, so that a crash leaves no tab without its words.
    await this.#writeSummary({ ...left, isOpen: false, conversation });
    await rm(this.journalOf(tabId), { force: true });
    if (isOver(left)) await this.forget(tabId);
  }

  /** Whether {@link keptAs} was interrupted for a closed tab. */
  async isHalfKept(summary: TabSummary): Promise<boolean> {
    if (summary.isOpen || summary.conversation === undefined) return false;
    const hasWords = stat(this.journalOf(summary.record.tabId)).then(
      () => true,
      () => false,
    );
    return isOver(summary) || (await hasWords);
  }

  /** Nothing of a closed tab that is claimed stays here. */
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
    // The first change writes the journal anew, and with it what was settled or torn.
    void this.claim(tabId);
  }

  /** Whether the tab has words without a journal, which is begun with them. */
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

  /** Forgets a closed tab. Returns false where it is open somewhere. */
  async delete(tabId: string): Promise<boolean> {
    if (this.#kept.has(tabId) || !(await this.claim(tabId))) return false;
    await this.forget(tabId);
    await this.release(tabId);
    return true;
  }

  /** Names a closed tab. Returns false where it is open somewhere. */
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

  /** The window closes: everything is written. */
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
    // A tab without a word is not worth a folder, unless it is in sight or has a draft.
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

  /** Ids are made by pages; one that is no plain name gets a folder that is. */
  #pathOf(tabId: string): string {
    const name = /^[\w-]{1,64}$/.test(tabId) ? tabId : `id-${Buffer.from(tabId).toString("hex").slice(0, 120)}`;
    return join(this.#folder, name);
  }

  #failed(event: string, reason: string): void {
    this.logger.error("history", event, { reason });
  }
}

/** What stays of a tab whose conversation is kept: it has no journal for what waits to be sent. */
function leftOf(summary: TabSummary, { items, state }: Transcript): TabSummary {
  const prompts = items.filter((item) => item.kind === "user");
  const branches = prompts.flatMap(({ id, branches: all }, prompt) => (all ? [{ prompt, id, branches: all }] : []));
  const { draft } = summary.record;
  const edit = draft?.edit;
  const queue = state.queue.map((one) => (one.messageId === edit?.messageId ? { ...one, text: edit.text } : one));
  // What was written in a prompt that has left the queue is the user's all the same.
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

/** Nothing leads to it, and nothing waits in it. */
function isOver({ branches, record }: TabSummary): boolean {
  return branches === undefined && record.draft === undefined;
}

/** Whether there is more to it than the words of a conversation. */
function hasOwn({ draft, transcript: { transcript } }: ChatTab): boolean {
  return draft !== undefined || transcript.items.some((item) => item.kind === "user" && item.branches !== undefined);
}

function hasPrompts({ items }: Transcript): boolean {
  return items.some(({ kind }) => kind === "user");
}

/** Counts the prompts of a tab. */
export function promptsOf(tab: ChatTab): number {
  return tab.transcript.transcript.items.filter(({ kind }) => kind === "user").length;
}

const notAnswered = "Not answered: the window was closed";

/** What a card adds that tells of something under way. */
const closedMeanwhile = "The window was closed meanwhile.";

/** Ends what a closed window has left open in a transcript, so that nothing in it waits for an agent that is gone. */
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
