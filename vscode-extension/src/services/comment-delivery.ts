import type { ChatTab } from "../features/chat/chat-tab.js";
import type { ChatTabs } from "../features/chat/chat-tabs.js";
import type { CommentDelivery } from "../features/review/comments/comment-threads.js";

interface ChatOfWindow {
  readonly tabs: Pick<ChatTabs, "tab" | "selectedTab">;
  show(tabId: string): Promise<void>;
  openTab(): Promise<ChatTab>;
}

export function commentDelivery(chat: ChatOfWindow): CommentDelivery {
  return {
    tabFor: (tabIds) => tabIds.findLast((tabId) => chat.tabs.tab(tabId) !== undefined) ?? chat.tabs.selectedTab?.tabId,
    async send(tabId, text) {
      const open = chat.tabs.tab(tabId);
      if (open) await chat.show(open.tabId);
      const tab = open ?? (await chat.openTab());
      await tab.prompt({ messageId: crypto.randomUUID(), text, attachments: [] }, "send");
      return tab.state.agentName;
    },
  };
}
