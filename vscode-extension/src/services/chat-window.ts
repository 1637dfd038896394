import type { ChatTabs } from "../features/chat/chat-tabs.js";
import type { ChatWindow } from "../features/chat/handle-chat-messages.js";
import { vscodeWindow } from "../features/chat/vscode-window.js";
import type { HistoryPicker } from "../features/history/history-picker.js";
import type { Review } from "../features/review/review.js";
import type { ChatServices } from "./chat-services.js";
import type { CheckpointServices } from "./checkpoint-services.js";
import type { PageServices } from "./page-services.js";

interface PartsForChat {
  readonly review: Review;
  readonly chat: ChatServices;
  readonly tabs: ChatTabs;
  readonly pages: PageServices;
  readonly history: HistoryPicker;
  show(tabId: string): Promise<void>;
  continueWith(tabId: string): Promise<void>;
}

interface OwnParts extends Omit<Parameters<typeof vscodeWindow>[0], "isUnderReview"> {
  readonly checkpoints: CheckpointServices;
}

export function chatWindow(parts: PartsForChat, { checkpoints, ...own }: OwnParts): ChatWindow {
  const isUnderReview = (path: string): boolean => parts.review.book.find(path) !== undefined;
  return {
    ...vscodeWindow({ ...own, isUnderReview }),
    show: (tabId) => parts.show(tabId),
    openInEditor: (tabId) => parts.chat.openInEditor(tabId),
    showHistory: () => parts.history.show(),
    continueWith: (tabId) => parts.continueWith(tabId),
    reopenTab: (tabId) => parts.history.reopen(tabId),
    restoreFiles: (tabId, messageId) => checkpoints.restore(tabId, messageId),
    restoreFilesUnasked: (tabId, messageId) => checkpoints.restoreUnasked(tabId, messageId),
    undoRestore: (tabId) => checkpoints.undoRestore(tabId),
    answerOffer: (tabId, actionId) => parts.pages.sandboxOffer.act(parts.tabs.tab(tabId), actionId),
  };
}
