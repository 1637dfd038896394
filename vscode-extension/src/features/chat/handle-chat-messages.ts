import { restoreActionId, stopSubagentId } from "../../../protocol/index.js";
import { continueWith, stopTurn } from "../../acp/conversation-notices.js";
import type { CallEdit } from "../../acp/session-observers.js";
import type { Logger } from "../log/logger.js";
import { keptSettingId } from "../history/recording-notice.js";
import { undoRestoreActionId } from "../review/restore/restorable-prompts.js";
import type { ChatTabs } from "./chat-tabs.js";
import { manageTrust } from "./chat-tab.js";
import type { ViewMessages } from "../pages/message-hub.js";

export interface ChatWindow {
  openLog(): void;
  show(tabId: string): Promise<void>;
  openInEditor(tabId: string): Promise<void>;
  showHistory(): Promise<void>;
  reopenTab(tabId: string): Promise<void>;
  continueWith(tabId: string): Promise<void>;
  openConfiguration(): Promise<void>;
  manageTrust(): Promise<void>;
  /** Opens a file. `line` is 1-based. */
  openLocation(path: string, line: number | undefined): Promise<void>;
  openLink(url: string): Promise<void>;
  /** Shows a change to a file; without `edit`, all known changes to that file. */
  openDiff(path: string, edit: CallEdit | undefined): Promise<void>;
  openText(title: string, text: string): Promise<void>;
  copy(text: string): Promise<void>;
  /** Restores files that the agent changed since a prompt, after confirmation. */
  restoreFiles(tabId: string, messageId: string): Promise<void>;
  restoreFilesUnasked(tabId: string, messageId: string): Promise<void>;
  undoRestore(tabId: string): Promise<void>;
  /** Runs the offer behind a card's button. Returns false if the button belongs to no offer. */
  answerOffer(tabId: string, actionId: string): Promise<boolean>;
  /** Opens the full output of a command in an editor terminal. Returns false if the terminal is unknown. */
  openTerminalLog(terminalId: string): Promise<boolean>;
}

export function handleChatMessages(messages: ViewMessages, tabs: ChatTabs, window: ChatWindow, logger: Logger): void {
  handleTabs(messages, tabs, window);
  handlePrompts(messages, tabs, window, logger);
  handleActions(messages, tabs, window, logger);
  handleOpening(messages, tabs, window);
  messages.on("show-history", () => window.showHistory());
  messages.on("manage-trust", () => window.manageTrust());
  messages.on("log", ({ level, text }) => logger[level]("chat.page", text));
}

function handleTabs(messages: ViewMessages, tabs: ChatTabs, window: ChatWindow): void {
  messages.on("new-tab", ({ tabId, agentId }) => void tabs.open(tabId, agentId));
  messages.on("close-tab", ({ tabId }) => tabs.close(tabId));
  messages.on("select-tab", ({ tabId }) => tabs.select(tabId));
  messages.on("open-in-editor", ({ tabId }) => window.openInEditor(tabId));
  messages.on("page-focused", ({ tabId }) => tabs.focused(tabId));
  messages.on("scrolled", ({ tabId, place }) => {
    const tab = tabs.tab(tabId);
    if (tab) tab.place = place;
  });
  messages.on("rename-tab", ({ tabId, title }) => tabs.tab(tabId)?.rename(title));
  messages.on("fork", ({ tabId, itemId, newTabId }) => {
    const tab = tabs.tab(tabId);
    const at = tab?.transcript.transcript.byId.get(itemId);
    if (tab && at !== undefined) tabs.fork(tab, at, newTabId);
  });
  messages.on("continue-with", ({ tabId }) => window.continueWith(tabId));
  messages.on("show-branch", async ({ tabId }) => {
    if (!tabs.tab(tabId)) await window.reopenTab(tabId);
    if (tabs.tab(tabId)) await window.show(tabId);
  });
  messages.on("set-option", ({ tabId, optionId, value }) => tabs.tab(tabId)?.setOption(optionId, value));
  messages.on("get-older", ({ tabId, beforeId, count }) => tabs.pages.of(tabId).sendOlder(tabId, beforeId, count));
}

function handlePrompts(messages: ViewMessages, tabs: ChatTabs, window: ChatWindow, logger: Logger): void {
  messages.on("prompt", ({ tabId, messageId, text, attachments, when }) =>
    tabs.tab(tabId)?.prompt({ messageId, text, attachments }, when),
  );
  messages.on("edit-prompt", async ({ tabId, itemId, newTabId, messageId, text, restoresFiles }) => {
    const tab = tabs.tab(tabId);
    const at = tab?.transcript.transcript.byId.get(itemId);
    const item = at === undefined ? undefined : tab?.transcript.transcript.items[at];
    if (!tab || at === undefined || item?.kind !== "user") return;
    if (restoresFiles === true) {
      // Send the prompt even if restoring failed; otherwise its text would be lost.
      const failed = (error: unknown): void =>
        logger.error("chat.messages", "files were not restored", { error: String(error) });
      await window.restoreFilesUnasked(tabId, itemId).catch(failed);
    }
    await tabs.edit(tab, at, { messageId, text, attachments: item.attachments }, newTabId);
  });
  messages.on("cancel", ({ tabId }) => tabs.tab(tabId)?.conversation?.cancel());
  messages.on("queue-editing", ({ tabId, messageId }) => tabs.tab(tabId)?.setEdited(messageId));
  messages.on("queue-edit", async ({ tabId, messageId, text }) => {
    // The prompt was sent before the page got the update, so put the text into the composer.
    if (tabs.tab(tabId)?.editQueued(messageId, text) === false)
      await tabs.pages.deliver(tabId, { type: "add-text", tabId, text });
  });
  messages.on("queue-remove", ({ tabId, messageId }) => tabs.tab(tabId)?.removeQueued(messageId));
  messages.on("queue-send-now", ({ tabId, messageId }) => tabs.tab(tabId)?.sendNow(messageId));
  messages.on("draft", ({ tabId, draft }) => tabs.tab(tabId)?.setDraft(draft));
}

function handleActions(messages: ViewMessages, tabs: ChatTabs, window: ChatWindow, logger: Logger): void {
  messages.on("action", async ({ tabId, itemId, actionId }) => {
    const tab = tabs.tab(tabId);
    try {
      if (actionId === "open-log") window.openLog();
      else if (actionId === "restart") await tab?.restart();
      else if (actionId === stopTurn.id) tab?.conversation?.cancel();
      else if (actionId === stopSubagentId) tab?.conversation?.stopSubagent(itemId);
      else if (actionId === "retry") await tab?.retry(itemId);
      else if (actionId === continueWith.id) await window.continueWith(tabId);
      else if (actionId === manageTrust.id) await window.manageTrust();
      else if (actionId === restoreActionId) await window.restoreFiles(tabId, itemId);
      else if (actionId === undoRestoreActionId) await window.undoRestore(tabId);
      else if (actionId === keptSettingId) await window.openConfiguration();
      else if (!(await window.answerOffer(tabId, actionId)))
        logger.warn("chat.messages", "unknown action", { actionId });
    } finally {
      tab?.acted(itemId);
    }
  });
}

function handleOpening(messages: ViewMessages, tabs: ChatTabs, window: ChatWindow): void {
  messages.on("open-full", async ({ tabId, itemId, what }) => {
    const tab = tabs.tab(tabId);
    if (!tab || (await window.openTerminalLog(what))) return;
    const { title, text } = tab.full(itemId, what);
    await window.openText(title, text);
  });
  messages.on("open-diff", ({ tabId, toolCallId, path }) =>
    window.openDiff(path, tabs.tab(tabId)?.conversation?.edit(toolCallId, path)),
  );
  messages.on("open-location", ({ path, line }) => window.openLocation(path, line));
  messages.on("open-link", ({ url }) => window.openLink(url));
  messages.on("copy", ({ text }) => window.copy(text));
}
