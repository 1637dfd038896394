import { Uri, ViewColumn, type WebviewPanel, window } from "vscode";
import { asObject, stringOf } from "@symposium-dev/core";
import { type TabState, tabTitles } from "../../../protocol/index.js";
import { chatEditorType } from "../placement/view-placement.js";
import { type ChatPageParts, showChatPage } from "../pages/page-panel.js";
import type { ChatTabs } from "./chat-tabs.js";

interface ChatEditorsOptions extends ChatPageParts {
  readonly tabs: ChatTabs;
  /** A page has come into sight or gone out of it. */
  visibilityChanged(isVisible: boolean): void;
}

/**
 * The tabs of the chat that are shown in editors, one in each. When such an editor is closed, its tab is back in the panel: a
 * turn that runs goes on, and who closes all editors does not end conversations by it.
 */
export class ChatEditors {
  readonly #panels = new Map<string, WebviewPanel>();
  /** What their icons are now, to be set only where that changes. */
  readonly #icons = new WeakMap<WebviewPanel, string>();

  #areRestored = false;

  constructor(private readonly options: ChatEditorsOptions) {}

  /** The tab of the window's active editor, where that shows one. */
  get active(): string | undefined {
    for (const [tabId, panel] of this.#panels) if (panel.active) return tabId;
    return undefined;
  }

  isVisible(tabId: string): boolean {
    return this.#panels.get(tabId)?.visible === true;
  }

  /** Shows a tab in an editor, and gives that the focus. */
  open(tabId: string): void {
    const known = this.#panels.get(tabId);
    if (known) known.reveal();
    else {
      const panel = window.createWebviewPanel(chatEditorType, "Chat", ViewColumn.Active, {});
      this.#show(panel, tabId);
    }
    this.options.tabs.select(tabId);
  }

  /** An editor of before a reload, with what its page had kept. Its tab may not be restored yet. */
  restore(panel: WebviewPanel, state: unknown): void {
    const tabId = stringOf(asObject(state)?.["tabId"]);
    // The editor restores one that is behind others when it is shown first, which may be long after its tab was closed.
    const isGone = (id: string): boolean => this.#areRestored && !this.options.tabs.tab(id);
    if (tabId === undefined || this.#panels.has(tabId) || isGone(tabId)) panel.dispose();
    else this.#show(panel, tabId);
  }

  /** Closes the editor of a tab, which is in the panel then. */
  close(tabId: string): void {
    this.#panels.get(tabId)?.dispose();
  }

  /** All tabs are restored: an editor whose tab did not come has nothing to show. */
  allRestored(): void {
    this.#areRestored = true;
    for (const [tabId, panel] of [...this.#panels]) if (!this.options.tabs.tab(tabId)) panel.dispose();
  }

  /** The state of a tab may be another. */
  changed(): void {
    for (const [tabId, panel] of this.#panels) this.#label(panel, tabId);
  }

  #show(panel: WebviewPanel, tabId: string): void {
    const { options } = this;
    const { tabs } = options;
    this.#panels.set(tabId, panel);
    tabs.toEditor(tabId);
    if (panel.active) tabs.select(tabId);
    const feed = tabs.pages.of(tabId);
    let wasVisible = panel.visible;
    panel.onDidChangeViewState(() => {
      if (panel.active) tabs.select(tabId);
      if (panel.visible === wasVisible) return;
      wasVisible = panel.visible;
      // A hidden page is destroyed; the next one says that it is ready.
      if (!panel.visible) feed.pageGone();
      options.visibilityChanged(panel.visible);
    });
    panel.onDidDispose(() => {
      this.#panels.delete(tabId);
      feed.pageGone();
      tabs.toPanel(tabId);
      options.visibilityChanged(false);
    });
    showChatPage(panel.webview, { ...options, tabId, ready: (post, lastSeen) => feed.pageReady(post, lastSeen) });
    this.#label(panel, tabId);
    options.visibilityChanged(panel.visible);
  }

  #label(panel: WebviewPanel, tabId: string): void {
    const { tabs } = this.options.tabs;
    const at = tabs.findIndex((tab) => tab.tabId === tabId);
    const states = tabs.map(({ state }) => state);
    const state = states[at];
    if (!state) return;
    const title = tabTitles(states)[at] ?? state.title;
    if (panel.title !== title) panel.title = title;
    const icon = iconOf(state);
    if (this.#icons.get(panel) === icon) return;
    this.#icons.set(panel, icon);
    panel.iconPath = Uri.joinPath(this.options.extensionUri, "media", icon);
  }
}

/** The same that the badge of a tab in the panel says. */
function iconOf({ waiting, phase, isUnread }: TabState): string {
  if (waiting > 0) return "chat-asks.svg";
  if (phase === "running" || phase === "stopping") return "chat-works.svg";
  return isUnread ? "chat-unread.svg" : "activity.svg";
}
