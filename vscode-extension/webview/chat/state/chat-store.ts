import {
  applyChange,
  type Draft,
  type Item,
  newTranscript,
  type TabState,
  type Terminal,
  type ToWebview,
  type Transcript,
  type ViewSettings,
} from "../../../protocol/index.js";

/** The page's copy of a tab. `version` increases whenever items change; `index` is the index of the last applied change. */
export interface Tab {
  readonly tabId: string;
  readonly transcript: Transcript;
  index: number;
  /** Total number of items, including older ones that only the extension has. */
  total: number;
  version: number;
  /** True while a `get-older` request is open. */
  isLoadingOlder: boolean;
  draft: Draft | undefined;
}

type MessageOf<Type extends ToWebview["type"]> = Extract<ToWebview, { type: Type }>;

export const noSettings: ViewSettings = {
  requireModifierToSend: false,
  agents: [],
  isListing: false,
  isTrusted: true,
  folders: [],
  isMac: false,
};

/**
 * Everything the page shows, as received from the extension. Messages apply at once; `onChange` is called after each, and drawing is
 * batched per frame.
 */
export class ChatStore {
  readonly #tabs = new Map<string, Tab>();
  #order: readonly string[] = [];
  #selected: string | undefined;
  #chosen: string | undefined;
  #opened: string | undefined;
  settings = noSettings;
  /** Called when the page missed changes of a tab and must request the tab again. */
  onGap: () => void = () => undefined;
  onChange: () => void = () => undefined;

  get tabs(): Tab[] {
    return this.#order.flatMap((tabId) => this.#tabs.get(tabId) ?? []);
  }

  get selected(): Tab | undefined {
    return this.#selected === undefined ? undefined : this.#tabs.get(this.#selected);
  }

  /** Whether the page still waits for the first data or for a tab that the user opened. */
  get isOpening(): boolean {
    return this.settings === noSettings || (this.#chosen !== undefined && this.selected === undefined);
  }

  /** Opens and selects a tab at once, so that no input goes to the previously selected tab. */
  open(tabId: string): void {
    this.#opened = tabId;
    this.select(tabId);
  }

  tab(tabId: string): Tab | undefined {
    return this.#tabs.get(tabId);
  }

  /** Selects a tab. Earlier messages from the extension don't revert the choice. */
  select(tabId: string): void {
    if (tabId === this.#selected) return;
    this.#selected = tabId;
    this.#chosen = tabId;
    this.onChange();
  }

  lastSeen(): Record<string, number> {
    return Object.fromEntries([...this.#tabs.values()].map(({ tabId, index }) => [tabId, index]));
  }

  receive(message: ToWebview): void {
    switch (message.type) {
      case "settings":
        this.settings = message.settings;
        break;
      case "tabs":
        this.#setTabs(message);
        break;
      case "snapshot":
        this.#restore(message);
        break;
      case "changes":
        this.#change(message);
        break;
      case "older-items":
        this.#prepend(message);
        break;
      default:
        return;
    }
    this.onChange();
  }

  #setTabs({ tabIds, selected }: MessageOf<"tabs">): void {
    this.#order = tabIds;
    for (const tabId of this.#tabs.keys()) if (!tabIds.includes(tabId)) this.#tabs.delete(tabId);
    if (this.#opened !== undefined && tabIds.includes(this.#opened)) this.#opened = undefined;
    const isThere = this.#chosen !== undefined && [...tabIds, this.#opened].includes(this.#chosen);
    const isOlder = isThere && selected !== this.#chosen;
    if (isOlder) return;
    this.#chosen = undefined;
    this.#selected = selected ?? tabIds.at(-1);
  }

  #restore(message: MessageOf<"snapshot">): void {
    const { tabId, index, items, total, terminals, draft } = message;
    const version = (this.#tabs.get(tabId)?.version ?? 0) + 1;
    const transcript = transcriptOf(message.state, items, terminals);
    this.#tabs.set(tabId, { tabId, transcript, index, total, version, isLoadingOlder: false, draft });
    if (!this.#order.includes(tabId)) this.#order = [...this.#order, tabId];
    this.#selected ??= tabId;
  }

  #change({ tabId, index, changes }: MessageOf<"changes">): void {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined || index <= tab.index) return;
    const known = changes.length - (index - tab.index);
    if (known < 0) {
      this.onGap();
      return;
    }
    const before = tab.transcript.items.length;
    for (const change of known === 0 ? changes : changes.slice(known)) applyChange(tab.transcript, change);
    tab.total += tab.transcript.items.length - before;
    tab.index = index;
    tab.version += 1;
  }

  #prepend({ tabId, beforeId, items, terminals }: MessageOf<"older-items">): void {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined) return;
    tab.isLoadingOlder = false;
    const { transcript } = tab;
    const older = items.filter(({ id }) => !transcript.byId.has(id));
    if (transcript.items[0]?.id !== beforeId || older.length === 0) {
      // The extension has no older items, so correct the total.
      if (items.length === 0) tab.total = transcript.items.length;
      return;
    }
    transcript.items.unshift(...older);
    transcript.byId.clear();
    for (const [at, item] of transcript.items.entries()) transcript.byId.set(item.id, at);
    for (const terminal of terminals) {
      if (!transcript.terminals.has(terminal.terminalId)) transcript.terminals.set(terminal.terminalId, terminal);
    }
    tab.version += 1;
  }
}

function transcriptOf(state: TabState, items: readonly Item[], terminals: readonly Terminal[]): Transcript {
  const transcript = newTranscript(state);
  for (const item of items) applyChange(transcript, { op: "put", item });
  for (const terminal of terminals) transcript.terminals.set(terminal.terminalId, terminal);
  return transcript;
}
