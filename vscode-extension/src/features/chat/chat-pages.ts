import type { ToWebview } from "../../../protocol/index.js";
import { type FedTab, type FeedSource, ViewFeed } from "./view-feed.js";

/** The tabs of the window, wherever they are shown. */
export interface PagesSource extends Omit<FeedSource, "selected"> {
  /** The tab that the panel shows. */
  readonly selectedInPanel: string | undefined;
}

/** Which page each tab is on, and what keeps these pages up to date: the panel's, or one of its own in an editor. */
export class ChatPages {
  readonly panel: ViewFeed;
  readonly #editors = new Map<string, ViewFeed>();

  constructor(private readonly source: PagesSource) {
    const inPanel = (tabId: string): boolean => !this.isInEditor(tabId);
    this.panel = feedOf({
      tabIds: () => source.tabIds.filter(inPanel),
      // A tab that is moving may still be selected there.
      selected: () => {
        const { selectedInPanel } = source;
        return selectedInPanel !== undefined && inPanel(selectedInPanel) ? selectedInPanel : undefined;
      },
      tabs: () => source.tabs.filter(({ tabId }) => inPanel(tabId)),
      settings: () => source.settings,
    });
  }

  isInEditor(tabId: string): boolean {
    return this.#editors.has(tabId);
  }

  /** The page that a tab is on; the panel's for one that there is not. */
  of(tabId: string): ViewFeed {
    return this.#editors.get(tabId) ?? this.panel;
  }

  /** Gives a tab a page of its own, also one whose transcript is not there yet. */
  toEditor(tabId: string): void {
    if (this.isInEditor(tabId)) return;
    const { source } = this;
    const feed = feedOf({
      tabIds: () => [tabId],
      selected: () => tabId,
      tabs: () => source.tabs.filter((tab) => tab.tabId === tabId),
      settings: () => source.settings,
    });
    this.#editors.set(tabId, feed);
    this.panel.remove(tabId);
    for (const tab of source.tabs) if (tab.tabId === tabId) feed.add(tab);
  }

  /** Its page is gone: the panel shows the tab again. */
  toPanel(tabId: string): void {
    const feed = this.#editors.get(tabId);
    if (!feed) return;
    this.#editors.delete(tabId);
    feed.remove(tabId);
    for (const tab of this.source.tabs) if (tab.tabId === tabId) this.panel.add(tab);
    feed.end();
  }

  /** Sends what is told only once to the page of a tab: to its next one, where that page is gone before it gets it. */
  async deliver(tabId: string, message: ToWebview): Promise<void> {
    while (this.source.tabIds.includes(tabId)) {
      const page = this.of(tabId);
      await page.whenReady();
      // Meanwhile the tab may have another page.
      if (page === this.of(tabId) && (await page.offer(message))) return;
    }
  }

  /** A tab whose transcript is there from here on. */
  add(tab: FedTab): void {
    this.of(tab.tabId).add(tab);
  }

  /** The tab is closed. */
  remove(tabId: string): void {
    this.of(tabId).remove(tabId);
    this.#editors.get(tabId)?.end();
    this.#editors.delete(tabId);
  }

  /** Tabs of the panel came or went, or another one of them is selected. */
  sendTabs(): void {
    this.panel.sendTabs();
  }

  sendSettings(): void {
    for (const feed of [this.panel, ...this.#editors.values()]) feed.sendSettings();
  }
}

type Getters = { readonly [Name in keyof FeedSource]: () => FeedSource[Name] };

function feedOf(from: Getters): ViewFeed {
  return new ViewFeed({
    get tabIds() {
      return from.tabIds();
    },
    get selected() {
      return from.selected();
    },
    get tabs() {
      return from.tabs();
    },
    get settings() {
      return from.settings();
    },
  });
}
