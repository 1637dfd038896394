import * as l10n from "@vscode/l10n";
import { Uri, ViewColumn, type WebviewPanel, window } from "vscode";
import { asObject, stringOf } from "@symposium-dev/core";
import { type TabState, tabTitles } from "../../../protocol/index.js";
import { chatEditorType } from "../placement/view-placement.js";
import { type ChatPageParts, showChatPage } from "../pages/page-panel.js";
import type { ChatTabs } from "./chat-tabs.js";

interface ChatEditorsOptions extends ChatPageParts {
  readonly tabs: ChatTabs;
  visibilityChanged(isVisible: boolean): void;
}

/**
 * Chat tabs shown in editors, one tab per editor. Closing an editor returns its tab to the panel, so running turns and conversations
 * continue.
 */
export class ChatEditors {
  readonly #panels = new Map<string, WebviewPanel>();
  readonly #icons = new WeakMap<WebviewPanel, string>();

  #areRestored = false;

  constructor(private readonly options: ChatEditorsOptions) {}

  get active(): string | undefined {
    for (const [tabId, panel] of this.#panels) if (panel.active) return tabId;
    return undefined;
  }

  isVisible(tabId: string): boolean {
    return this.#panels.get(tabId)?.visible === true;
  }

  open(tabId: string): void {
    const known = this.#panels.get(tabId);
    if (known) known.reveal();
    else {
      const panel = window.createWebviewPanel(chatEditorType, l10n.t("Chat"), ViewColumn.Active, {});
      this.#show(panel, tabId);
    }
    this.options.tabs.select(tabId);
  }

  restore(panel: WebviewPanel, state: unknown): void {
    const tabId = stringOf(asObject(state)?.["tabId"]);
    // VS Code restores a background editor only when it is first shown, perhaps long after its tab was closed.
    const isGone = (id: string): boolean => this.#areRestored && !this.options.tabs.tab(id);
    if (tabId === undefined || this.#panels.has(tabId) || isGone(tabId)) panel.dispose();
    else this.#show(panel, tabId);
  }

  /** Closes a tab's editor, which returns the tab to the panel. */
  close(tabId: string): void {
    this.#panels.get(tabId)?.dispose();
  }

  /** Closes editors whose tab wasn't restored. Called after all tabs are restored. */
  allRestored(): void {
    this.#areRestored = true;
    for (const [tabId, panel] of [...this.#panels]) if (!this.options.tabs.tab(tabId)) panel.dispose();
  }

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

/** Returns the editor's icon, with the same meaning as the tab's badge in the panel. */
function iconOf({ waiting, phase, isUnread }: TabState): string {
  if (waiting > 0) return "chat-asks.svg";
  if (phase === "running" || phase === "stopping") return "chat-works.svg";
  return isUnread ? "chat-unread.svg" : "activity.svg";
}
