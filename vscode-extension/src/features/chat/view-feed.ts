import type {
  Change,
  Draft,
  Item,
  Position,
  Terminal,
  ToWebview,
  Transcript,
  ViewSettings,
} from "../../../protocol/index.js";
import type { TabTranscript } from "./tab-transcript.js";

export interface FedTab {
  readonly tabId: string;
  readonly transcript: TabTranscript;
  readonly draft: Draft | undefined;
  readonly place: Position | undefined;
  /** Marks the queued prompt that is edited on a page; undefined ends the edit, e.g. when the page is gone. */
  setEdited(messageId: string | undefined): void;
}

export interface FeedSource {
  readonly tabIds: readonly string[];
  readonly selected: string | undefined;
  readonly tabs: readonly FedTab[];
  readonly settings: ViewSettings;
}

/** Resolves with false if the page didn't receive the message. */
type PostMessage = (message: ToWebview) => PromiseLike<boolean>;

/** Maximum number of changes stored for a page that missed changes or receives them slowly. */
const maxKept = 1_000;

interface FeedLine {
  readonly tab: FedTab;
  readonly subscription: Disposable;
  recent: Change[];
  window: PageWindow | undefined;
  waiting: Change[];
  sendingTo: PostMessage | undefined;
}

/**
 * Keeps one page up to date: sends snapshots first, then changes, one unacknowledged batch per tab at a time. Without a page, sends and
 * queues nothing.
 */
export class ViewFeed {
  readonly #lines = new Map<string, FeedLine>();
  /** Tabs removed while there was no page. The next page must drop its state for them, such as drafts. */
  readonly #left = new Set<string>();
  #post: PostMessage | undefined;
  #awaiting: (() => void)[] = [];

  constructor(private readonly source: FeedSource) {}

  get hasPage(): boolean {
    return this.#post !== undefined;
  }

  /** Resolves when a page can receive messages, or when the feed has ended. */
  whenReady(): Promise<void> {
    return this.#post ? Promise.resolve() : new Promise((resolve) => this.#awaiting.push(resolve));
  }

  /** Connects a page. `lastSeen` maps each tab that the page still shows to the index of the last applied change. */
  pageReady(post: PostMessage, lastSeen: Readonly<Record<string, number>>): void {
    this.#post = post;
    for (const line of this.#lines.values()) reset(line);
    if (Object.keys(lastSeen).length === 0) this.#endEdits();
    const { settings, tabs, selected } = this.source;
    this.send({ type: "settings", settings });
    if (this.#left.size > 0) this.#sendTabs(this.source.tabIds.filter((tabId) => !this.#left.has(tabId)));
    this.#left.clear();
    this.sendTabs();
    const first = tabs.filter(({ tabId }) => tabId === selected);
    for (const tab of [...first, ...tabs.filter(({ tabId }) => tabId !== selected)]) {
      const seen = lastSeen[tab.tabId];
      if (seen === undefined || !this.#resume(tab, seen)) this.#snapshot(tab);
    }
    this.#release();
  }

  pageGone(): void {
    this.#post = undefined;
    for (const line of this.#lines.values()) reset(line);
    this.#endEdits();
  }

  end(): void {
    this.pageGone();
    this.#release();
  }

  add(tab: FedTab): void {
    const line: FeedLine = {
      tab,
      subscription: tab.transcript.onChanges((changes) => this.#changed(line, changes)),
      recent: [],
      window: undefined,
      waiting: [],
      sendingTo: undefined,
    };
    this.#lines.set(tab.tabId, line);
    this.sendTabs();
    if (this.#post) this.#snapshot(tab);
  }

  remove(tabId: string): void {
    const line = this.#lines.get(tabId);
    line?.tab.setEdited(undefined);
    line?.subscription[Symbol.dispose]();
    this.#lines.delete(tabId);
    if (!this.#post) this.#left.add(tabId);
    this.sendTabs();
  }

  sendTabs(): void {
    this.#sendTabs(this.source.tabIds);
  }

  sendSettings(): void {
    this.send({ type: "settings", settings: this.source.settings });
  }

  sendOlder(tabId: string, beforeId: string, count: number): void {
    const older = this.#lines.get(tabId)?.window?.older(beforeId, count);
    if (older) this.send({ type: "older-items", tabId, beforeId, ...older });
  }

  send(message: ToWebview): void {
    void this.offer(message);
  }

  /** Sends a message. Resolves with false if no page received it. */
  async offer(message: ToWebview): Promise<boolean> {
    const post = this.#post;
    if (!post) return false;
    const isTaken = await Promise.resolve(post(message)).catch(() => false);
    this.#sent(post, isTaken);
    return isTaken;
  }

  /** Ends all edits, so that queued prompts are sent in turn. */
  #endEdits(): void {
    for (const { tab } of this.#lines.values()) tab.setEdited(undefined);
  }

  #release(): void {
    const awaiting = this.#awaiting;
    this.#awaiting = [];
    for (const resolve of awaiting) resolve();
  }

  #sendTabs(tabIds: readonly string[]): void {
    this.send({ type: "tabs", tabIds: [...tabIds], selected: this.source.selected ?? null });
  }

  #snapshot(tab: FedTab): void {
    const line = this.#lines.get(tab.tabId);
    if (!line) return;
    // The snapshot already contains pending changes, so flush them first.
    tab.transcript.flush();
    const { transcript, index } = tab.transcript;
    line.waiting = [];
    line.window = new PageWindow(transcript);
    const { items, terminals } = line.window;
    this.send({
      type: "snapshot",
      tabId: tab.tabId,
      index,
      state: transcript.state,
      items: [...items],
      total: transcript.items.length,
      terminals: [...terminals],
      ...(tab.draft && { draft: tab.draft }),
      ...(tab.place && { place: tab.place }),
    });
  }

  /** Sends the changes that a page missed. Returns false if these changes are no longer stored. */
  #resume(tab: FedTab, seen: number): boolean {
    const line = this.#lines.get(tab.tabId);
    tab.transcript.flush();
    const { index, transcript } = tab.transcript;
    const missed = index - seen;
    if (!line || missed < 0 || missed > line.recent.length || transcript.items.length > maxKept) return false;
    line.window = new PageWindow(transcript);
    const changes = missed === 0 ? [] : line.recent.slice(-missed);
    this.send({ type: "changes", tabId: tab.tabId, index, changes });
    return true;
  }

  #changed(line: FeedLine, changes: readonly Change[]): void {
    line.recent = [...line.recent, ...changes].slice(-maxKept);
    if (!this.#post || !line.window) return;
    line.waiting.push(...line.window.visible(changes));
    // A batch that a closed page never acknowledged must not block the next page.
    if (line.sendingTo !== this.#post) void this.#sendWaiting(line, this.#post);
  }

  async #sendWaiting(line: FeedLine, post: PostMessage): Promise<void> {
    line.sendingTo = post;
    try {
      while (post === this.#post && line.waiting.length > 0) {
        const { tabId, transcript } = line.tab;
        const changes = line.waiting;
        line.waiting = [];
        if (changes.length > maxKept) this.#snapshot(line.tab);
        else this.#sent(post, await post({ type: "changes", tabId, index: transcript.index, changes }));
      }
    } catch {
      this.#sent(post, false);
    } finally {
      if (line.sendingTo === post) line.sendingTo = undefined;
    }
  }

  /** A page that rejects a message is gone, even without a notification. */
  #sent(post: PostMessage, isTaken: boolean): void {
    if (!isTaken && post === this.#post) this.pageGone();
  }
}

function reset(line: FeedLine): void {
  line.window = undefined;
  line.waiting = [];
}

/** Number of items in a snapshot; the page requests older items when the user scrolls up. */
const snapshotItems = 200;

/** Part of a transcript that a page has: the last items and the older ones it requested. */
class PageWindow {
  readonly #hidden: Set<string>;
  readonly #hiddenTerminals: Set<string>;
  readonly items: readonly Item[];
  readonly terminals: readonly Terminal[];

  constructor(private readonly transcript: Transcript) {
    this.items = transcript.items.slice(-snapshotItems);
    this.terminals = terminalsOf(this.items, transcript);
    this.#hidden = new Set(transcript.items.slice(0, -snapshotItems).map(({ id }) => id));
    this.#hiddenTerminals = new Set(transcript.terminals.keys());
    for (const { terminalId } of this.terminals) this.#hiddenTerminals.delete(terminalId);
  }

  /** Returns up to `count` items before `beforeId` with the terminals they show, and marks them as visible to the page. */
  older(beforeId: string, count: number): { items: Item[]; terminals: Terminal[] } {
    const end = this.transcript.byId.get(beforeId) ?? 0;
    const items = this.transcript.items.slice(Math.max(0, end - count), end);
    const terminals = terminalsOf(items, this.transcript);
    for (const { id } of items) this.#hidden.delete(id);
    for (const { terminalId } of terminals) this.#hiddenTerminals.delete(terminalId);
    return { items, terminals };
  }

  /**
   * Replaces changes to hidden items with no-ops, so that indices stay valid. When the page requests the older items, it gets their current
   * state.
   */
  visible(changes: readonly Change[]): Change[] {
    return changes.map((change) => (this.#isHidden(change) ? { op: "append", id: "", text: "" } : change));
  }

  #isHidden(change: Change): boolean {
    switch (change.op) {
      case "put":
        return this.#hidden.has(change.item.id);
      case "append":
      case "remove":
        return this.#hidden.has(change.id);
      case "terminal":
        return this.#hiddenTerminals.has(change.terminalId);
      case "tab":
        return false;
    }
  }
}

function terminalsOf(items: readonly Item[], { terminals }: Transcript): Terminal[] {
  const ids = items.flatMap((item) =>
    item.kind === "tool" || item.kind === "permission"
      ? item.content.flatMap((part) => (part.type === "terminal" ? part.terminalId : []))
      : [],
  );
  return [...new Set(ids)].flatMap((id) => terminals.get(id) ?? []);
}
