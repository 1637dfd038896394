import type { ToWebview } from "../../../protocol/index.js";
import { type FedTab, type FeedSource, ViewFeed } from "./view-feed.js";

export interface PagesSource extends Omit<FeedSource, "selected"> {
  readonly selectedInPanel: string | undefined;
}

export class ChatPages {
  readonly panel: ViewFeed;
  readonly #editors = new Map<string, ViewFeed>();

  constructor(private readonly source: PagesSource) {
    const inPanel = (tabId: string): boolean => !this.isInEditor(tabId);
    this.panel = feedOf({
      tabIds: () => source.tabIds.filter(inPanel),
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

  of(tabId: string): ViewFeed {
    return this.#editors.get(tabId) ?? this.panel;
  }

  /** Moves a tab to a page in an editor, even before its transcript is restored. */
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

  toPanel(tabId: string): void {
    const feed = this.#editors.get(tabId);
    if (!feed) return;
    this.#editors.delete(tabId);
    feed.remove(tabId);
    for (const tab of this.source.tabs) if (tab.tabId === tabId) this.panel.add(tab);
    feed.end();
  }

  /** Sends a message that must not get lost to a tab's page. If the page disappears first, sends the message to the tab's next page. */
  async deliver(tabId: string, message: ToWebview): Promise<void> {
    while (this.source.tabIds.includes(tabId)) {
      const page = this.of(tabId);
      await page.whenReady();
      if (page === this.of(tabId) && (await page.offer(message))) return;
    }
  }

  add(tab: FedTab): void {
    this.of(tab.tabId).add(tab);
  }

  remove(tabId: string): void {
    this.of(tabId).remove(tabId);
    this.#editors.get(tabId)?.end();
    this.#editors.delete(tabId);
  }

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
