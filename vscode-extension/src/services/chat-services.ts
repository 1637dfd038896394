import * as l10n from "@vscode/l10n";
import { basename } from "node:path";
import { type Memento, type Uri, window, workspace } from "vscode";
import type { Attachment, ViewSettings } from "../../protocol/index.js";
import { Attention } from "../features/chat/attention.js";
import { badgeOf } from "../features/chat/chat-badge.js";
import type { ChatTab } from "../features/chat/chat-tab.js";
import type { ChatTabs } from "../features/chat/chat-tabs.js";
import { ChatEditors } from "../features/chat/chat-editors.js";
import { HostOffer } from "../features/chat/host-offer.js";
import { ChatViewProvider } from "../features/chat/chat-view-provider.js";
import type { ViewFeed } from "../features/chat/view-feed.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import type { OfferedAgents } from "../features/chat/offered-agents.js";
import type { MessageHub } from "../features/pages/message-hub.js";
import type { ViewPlacement } from "../features/placement/view-placement.js";
import type { SettingsSource } from "../features/settings/settings-source.js";

async function notify(text: string, button: string): Promise<boolean> {
  return (await window.showInformationMessage(text, button)) === button;
}

/** Notifies the user about chats while the window is in the background. `show` opens a tab. */
export function attentionOf(source: SettingsSource, show: (tabId: string) => Promise<void>): Attention {
  return new Attention({
    isWanted: () => source.settings.notifyWhenUnfocused,
    isFocused: () => window.state.focused,
    notify,
    show,
  });
}

export function hostOfferOf(memory: Memento, source: SettingsSource): HostOffer {
  return new HostOffer({
    memory,
    choice: () => source.settings.host,
    notify,
    turnOn: () => source.write("host", "on"),
    failed: (text) => void window.showErrorMessage(text),
  });
}

/** Tells the user that a closed tab's turn continues. */
export function sayContinues({ agentName }: ChatTab["state"]): void {
  const text = l10n.t("{0} continues in the host. To return, use Symposium: Show Conversations.", agentName);
  void window.showInformationMessage(text);
}

export function viewSettingsOf(source: SettingsSource, offered: OfferedAgents): ViewSettings {
  return {
    requireModifierToSend: source.settings.requireModifierToSend,
    agents: [...offered.choices],
    isListing: !offered.isKnown,
    ...(offered.problem !== undefined && { listProblem: offered.problem }),
    isTrusted: workspace.isTrusted,
    folders: workspaceFolders().map((folder) => basename(folder)),
    isMac: process.platform === "darwin",
  };
}

interface ChatServicesOptions {
  readonly extensionUri: Uri;
  readonly placement: ViewPlacement;
  readonly hub: MessageHub;
  readonly tabs: ChatTabs;
  opened(): void;
}

export class ChatServices {
  readonly view: ChatViewProvider;
  readonly editors: ChatEditors;

  constructor(private readonly options: ChatServicesOptions) {
    const { extensionUri, hub, tabs } = options;
    const visibilityChanged = (isVisible: boolean): void => {
      this.changed();
      if (isVisible) options.opened();
    };
    const parts = { extensionUri, sessionId: crypto.randomUUID(), hub, visibilityChanged };
    this.view = new ChatViewProvider({ ...parts, feed: tabs.pages.panel });
    this.editors = new ChatEditors({ ...parts, tabs });
  }

  async show(tabId: string | undefined): Promise<void> {
    const { tabs } = this.options;
    if (tabId === undefined) tabs.focused();
    else tabs.select(tabId);
    const page = await this.#reveal(tabId);
    // VS Code recreates a hidden page when it is shown, so wait until the page is ready.
    void page.whenReady().then(() => page.send({ type: "focus" }));
  }

  async addContext(tabId: string, attachments: readonly Attachment[]): Promise<void> {
    await this.#reveal(tabId);
    await this.options.tabs.pages.deliver(tabId, { type: "add-context", tabId, attachments: [...attachments] });
  }

  async openInEditor(tabId?: string): Promise<void> {
    const { tabs } = this.options;
    const known = tabId ?? tabs.selectedInPanel ?? tabs.selected ?? tabs.open(crypto.randomUUID()).tabId;
    if (!tabs.tabIds.includes(known)) return;
    this.editors.open(known);
    await this.show(known);
  }

  async moveToPanel(tabId = this.editors.active ?? this.options.tabs.selected): Promise<void> {
    if (tabId === undefined) return;
    this.editors.close(tabId);
    await this.show(tabId);
  }

  turnEnded(tab: ChatTab): void {
    if (!this.#isSeen(tab.tabId)) tab.setUnread(true);
  }

  changed(): void {
    const { tabs } = this.options.tabs;
    for (const tab of tabs) if (this.#isSeen(tab.tabId)) tab.setUnread(false);
    this.editors.changed();
    this.view.setBadge(badgeOf(tabs.filter(({ tabId }) => !this.#isSeen(tabId))));
  }

  #isSeen(tabId: string): boolean {
    const isInPanel = this.options.tabs.selectedInPanel === tabId;
    return isInPanel ? this.view.isVisible : this.editors.isVisible(tabId);
  }

  async #reveal(tabId: string | undefined): Promise<ViewFeed> {
    const { pages } = this.options.tabs;
    if (tabId === undefined || !pages.isInEditor(tabId)) {
      await this.options.placement.focus();
      return pages.panel;
    }
    this.editors.open(tabId);
    const page = pages.of(tabId);
    await page.whenReady();
    return page;
  }
}
