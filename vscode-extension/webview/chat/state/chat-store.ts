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

/** A tab as the page knows it. `version` rises whenever items come, go or change; `index` is the last change applied. */
export interface Tab {
  readonly tabId: string;
  readonly transcript: Transcript;
  index: number;
  /** Items of the tab that only the extension has are before ours; this many exist in all. */
  total: number;
  version: number;
  /** A `get-older` is on its way. */
  isLoadingOlder: boolean;
  draft: Draft | undefined;
}

type MessageOf<Type extends ToWebview["type"]> = Extract<ToWebview, { type: Type }>;

/** Until the extension has told the settings. */
export const noSettings: ViewSettings = {
  requireModifierToSend: false,
  agents: [],
  isListing: false,
  isTrusted: true,
  folders: [],
  isMac: false,
};

/**
 * Everything the page shows, as the extension told it. Messages are applied at once; `onChange` is called after each,
 * and whoever draws does so once a frame.
 */
export class ChatStore {
  readonly #tabs = new Map<string, Tab>();
  #order: readonly string[] = [];
  #selected: string | undefined;
  /** The tab that the user has chosen here, until the extension has it selected, too. */
  #chosen: string | undefined;
  /** A tab that the user has opened here, until the extension lists it. */
  #opened: string | undefined;
  settings = noSettings;
  /** Set when the page missed changes of a tab and has to ask for it again. */
  onGap: () => void = () => undefined;
  onChange: () => void = () => undefined;

  /** The tabs that are known with their content, in the order of the extension. */
  get tabs(): Tab[] {
    return this.#order.flatMap((tabId) => this.#tabs.get(tabId) ?? []);
  }

  get selected(): Tab | undefined {
    return this.#selected === undefined ? undefined : this.#tabs.get(this.#selected);
  }

  /** The extension has not sent yet what there is, or a tab that the user has opened. */
  get isOpening(): boolean {
    return this.settings === noSettings || (this.#chosen !== undefined && this.selected === undefined);
  }

  /** The user opens a tab: from here on it is selected, so that nothing goes to the one before. */
  open(tabId: string): void {
    this.#opened = tabId;
    this.select(tabId);
  }

  tab(tabId: string): Tab | undefined {
    return this.#tabs.get(tabId);
  }

  /** The user chooses a tab. What the extension sent before it heard of that does not take it back. */
  select(tabId: string): void {
    if (tabId === this.#selected) return;
    this.#selected = tabId;
    this.#chosen = tabId;
    this.onChange();
  }

  /** For each tab the index of the last change applied to it. */
  lastSeen(): Record<string, number> {
    return Object.fromEntries([...this.#tabs.values()].map(({ tabId, index }) => [tabId, index]));
  }

  /** Takes what the extension says about tabs and settings; other messages are not its business. */
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
    tab.total += Math.max(0, tab.transcript.items.length - before);
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
      // Nothing older is there after all.
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
