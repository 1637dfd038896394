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

/** A tab as the feed needs it. */
export interface FedTab {
  readonly tabId: string;
  readonly transcript: TabTranscript;
  readonly draft: Draft | undefined;
  /** Where the user has scrolled to; undefined is the end. */
  readonly place: Position | undefined;
  /** The prompt of the queue that is edited on a page; undefined when that page is gone. */
  setEdited(messageId: string | undefined): void;
}

export interface FeedSource {
  /** Every open tab in order, also those whose transcript is not there yet. */
  readonly tabIds: readonly string[];
  readonly selected: string | undefined;
  /** The tabs whose transcript is there. */
  readonly tabs: readonly FedTab[];
  readonly settings: ViewSettings;
}

/** Resolves with false when the page did not get the message. */
type PostMessage = (message: ToWebview) => PromiseLike<boolean>;

/** Changes that are kept for a page that has missed some, and that may wait for a slow one. */
const maxKept = 1_000;

interface Line {
  readonly tab: FedTab;
  readonly subscription: Disposable;
  /** The last changes of the tab, for a page that asks again. */
  recent: Change[];
  /** What the page has; undefined before it got the tab. */
  window: PageWindow | undefined;
  waiting: Change[];
  /** The page that is being sent a batch. */
  sendingTo: PostMessage | undefined;
}

/**
 * Keeps one page up to date: snapshots first, then the changes of each tab, the next batch of a tab when the page has
 * taken the one before. While there is no page nothing is sent and nothing piles up.
 */
export class ViewFeed {
  readonly #lines = new Map<string, Line>();
  /** Tabs that went while there was no page: what the next one remembers of them, such as a draft, is out of date. */
  readonly #left = new Set<string>();
  #post: PostMessage | undefined;
  #awaiting: (() => void)[] = [];

  constructor(private readonly source: FeedSource) {}

  get hasPage(): boolean {
    return this.#post !== undefined;
  }

  /** Resolves when a page can take messages, at once when one can, or when none will come any more. */
  whenReady(): Promise<void> {
    return this.#post ? Promise.resolve() : new Promise((resolve) => this.#awaiting.push(resolve));
  }

  /** A page can take messages. `lastSeen`: for each tab it still shows, the index of the last change it applied. */
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

  /** The page is hidden or gone. */
  pageGone(): void {
    this.#post = undefined;
    for (const line of this.#lines.values()) reset(line);
    this.#endEdits();
  }

  /** No page comes any more: nobody waits for one. */
  end(): void {
    this.pageGone();
    this.#release();
  }

  /** A tab whose transcript is there from here on. */
  add(tab: FedTab): void {
    const line: Line = {
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

  /** Sends the list of tabs, e.g. after another one was selected. */
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

  /** Any other message. Dropped while there is no page. */
  send(message: ToWebview): void {
    void this.offer(message);
  }

  /** Sends a message; resolves with false where no page got it. */
  async offer(message: ToWebview): Promise<boolean> {
    const post = this.#post;
    if (!post) return false;
    const isTaken = await Promise.resolve(post(message)).catch(() => false);
    this.#sent(post, isTaken);
    return isTaken;
  }

  /** What nobody edits any more is sent in its turn. */
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
    // What is published but not told yet is part of the snapshot, so it must count as told.
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

  /** Sends what a page that still shows the tab has missed. Returns false where that is not known any more. */
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

  #changed(line: Line, changes: readonly Change[]): void {
    line.recent = [...line.recent, ...changes].slice(-maxKept);
    if (!this.#post || !line.window) return;
    line.waiting.push(...line.window.visible(changes));
    // A page that went before it has answered must not hold up the next one.
    if (line.sendingTo !== this.#post) void this.#sendWaiting(line, this.#post);
  }

  async #sendWaiting(line: Line, post: PostMessage): Promise<void> {
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

  /** A page that did not take a message is gone, though nobody has said so yet. */
  #sent(post: PostMessage, isTaken: boolean): void {
    if (!isTaken && post === this.#post) this.pageGone();
  }
}

function reset(line: Line): void {
  line.window = undefined;
  line.waiting = [];
}

/** Items that a page gets with a snapshot; it asks for older ones when the user scrolls there. */
const snapshotItems = 200;

/** Which part of a transcript a page has: its last items, and what it has asked for since. */
class PageWindow {
  readonly #hidden: Set<string>;
  readonly #hiddenTerminals: Set<string>;
  /** What the snapshot is made of. */
  readonly items: readonly Item[];
  readonly terminals: readonly Terminal[];

  constructor(private readonly transcript: Transcript) {
    this.items = transcript.items.slice(-snapshotItems);
    this.terminals = terminalsOf(this.items, transcript);
    this.#hidden = new Set(transcript.items.slice(0, -snapshotItems).map(({ id }) => id));
    this.#hiddenTerminals = new Set(transcript.terminals.keys());
    for (const { terminalId } of this.terminals) this.#hiddenTerminals.delete(terminalId);
  }

  /** Up to `count` items before the one with that id, and the output they show; from here on the page has them. */
  older(beforeId: string, count: number): { items: Item[]; terminals: Terminal[] } {
    const end = this.transcript.byId.get(beforeId) ?? 0;
    const items = this.transcript.items.slice(Math.max(0, end - count), end);
    const terminals = terminalsOf(items, this.transcript);
    for (const { id } of items) this.#hidden.delete(id);
    for (const { terminalId } of terminals) this.#hiddenTerminals.delete(terminalId);
    return { items, terminals };
  }

  /**
   * The changes as this page may apply them: one that concerns what it does not have becomes one without effect, so
   * that indices stay as they are and the page gets the later state with the older items.
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
