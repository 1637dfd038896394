import assert from "node:assert/strict";
import type { Change, ToWebview } from "../../../protocol/index.js";
import { type ChatWindow, handleChatMessages } from "../../../src/features/chat/handle-chat-messages.js";
import { ChatTabs, type StoredTab } from "../../../src/features/chat/chat-tabs.js";
import { MessageHub } from "../../../src/features/pages/message-hub.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { Logger } from "../../../src/features/log/logger.js";
import { noSettings } from "../../../webview/chat/state/chat-store.js";
import { emptyTranscript } from "./change-samples.js";

/** A chat with one tab and its page's messages; `done` gets what the window is asked for. */
function chat(closed: () => Promise<void> = () => Promise.resolve()): {
  readonly hub: MessageHub;
  readonly tabs: ChatTabs;
  readonly done: unknown[];
} {
  const done: unknown[] = [];
  const logger = new Logger({ write: ({ message }) => done.push(message) });
  const note =
    (name: string) =>
    (...args: unknown[]): Promise<void> => {
      done.push([name, ...args]);
      return Promise.resolve();
    };
  const window: ChatWindow = {
    openLog: () => done.push(["openLog"]),
    show: note("show"),
    openInEditor: note("openInEditor"),
    showHistory: note("showHistory"),
    reopenTab: (tabId) => {
      if (tabId === "closed") restore(tabId);
      return note("reopenTab")(tabId);
    },
    continueWith: note("continueWith"),
    openConfiguration: note("openConfiguration"),
    manageTrust: note("manageTrust"),
    openLocation: note("openLocation"),
    openLink: note("openLink"),
    openDiff: note("openDiff"),
    openText: note("openText"),
    copy: note("copy"),
    restoreFiles: note("restoreFiles"),
    restoreFilesUnasked: note("restoreFilesUnasked"),
    undoRestore: note("undoRestore"),
    answerOffer: (_tabId, actionId) => Promise.resolve(actionId === "use-sandbox"),
    openTerminalLog: (terminalId) => Promise.resolve(terminalId === "shell"),
  };
  const hub = new MessageHub(logger);
  const tabs = new ChatTabs({
    store: {
      add: () => undefined,
      recordChanged: () => undefined,
      closed,
      orderChanged: () => undefined,
    },
    conversations: {
      converse: () => Promise.reject(new Error("No agent is needed here.")),
      isUpToDate: () => Promise.resolve(true),
    },
    viewSettings: () => noSettings,
    agent: () => ({ id: "eliza", name: "Eliza" }),
    changed: () => undefined,
    closing: () => undefined,
    openInEditor: () => undefined,
  });
  const restore = (tabId: string): void => {
    const stored: StoredTab = { record: { tabId, createdAt: 1 }, transcript: new TabTranscript(emptyTranscript()) };
    tabs.restore(stored);
  };
  restore("tab");
  handleChatMessages(hub, tabs, window, logger);
  return { hub, tabs, done };
}

const card: Change = {
  op: "put",
  item: { kind: "notice", id: "card", severity: "info", title: "Card", actions: [{ id: "open-log", label: "Log" }] },
};

describe("what the chat page asks for", () => {
  it("is done, and the card of an action comes anew so that its button is free again", async () => {
    const { hub, tabs, done } = chat();
    const transcript = tabs.tab("tab")?.transcript;
    transcript?.publish(card);
    transcript?.flush();
    const told: Change[] = [];
    transcript?.onChanges((changes) => told.push(...changes));
    for (const actionId of ["open-log", "manage-trust", "restore-checkpoint"])
      await hub.receive({ type: "action", tabId: "tab", itemId: "card", actionId });
    transcript?.flush();
    assert.deepEqual(done, [["openLog"], ["manageTrust"], ["restoreFiles", "tab", "card"]]);
    assert.deepEqual(told, [card]);
  });

  it("is a prompt sent again, after the files went back if the user wants that", async () => {
    const { hub, tabs, done } = chat();
    tabs.tab("tab")?.transcript.publish({ op: "put", item: { kind: "user", id: "u", text: "Old", attachments: [] } });
    const edit = {
      type: "edit-prompt",
      tabId: "tab",
      itemId: "u",
      newTabId: "new",
      messageId: "m",
      text: "New",
    } as const;
    await hub.receive({ ...edit, restoresFiles: true });
    assert.deepEqual(done, [["restoreFilesUnasked", "tab", "u"]]);
    assert.ok(tabs.tab("new"));
    await hub.receive({ ...edit, newTabId: "newer" });
    assert.equal(done.length, 1);
  });

  it("is to go on with another agent, by a card's button or from the menu", async () => {
    const { hub, done } = chat();
    await hub.receive({ type: "action", tabId: "tab", itemId: "card", actionId: "continue-with" });
    await hub.receive({ type: "continue-with", tabId: "other" });
    assert.deepEqual(done, [
      ["continueWith", "tab"],
      ["continueWith", "other"],
    ]);
  });

  it("is to show another branch, which is opened again before where it is closed, and not shown where it is gone", async () => {
    const { hub, done } = chat();
    for (const tabId of ["tab", "closed", "deleted"]) await hub.receive({ type: "show-branch", tabId });
    assert.deepEqual(done, [
      ["show", "tab"],
      ["reopenTab", "closed"],
      ["show", "closed"],
      ["reopenTab", "deleted"],
    ]);
  });

  it("is said to be unknown where nobody knows the action", async () => {
    const { hub, done } = chat();
    await hub.receive({ type: "action", tabId: "tab", itemId: "card", actionId: "fly" });
    assert.deepEqual(done, ["unknown action"]);
  });

  it("opens links, places and changes where they are shown", async () => {
    const { hub, done } = chat();
    await hub.receive({ type: "open-link", url: "https://example.com" });
    await hub.receive({ type: "open-location", path: "/main.ts", line: 3 });
    await hub.receive({ type: "open-diff", tabId: "tab", toolCallId: "call", path: "/main.ts" });
    assert.deepEqual(done, [
      ["openLink", "https://example.com"],
      ["openLocation", "/main.ts", 3],
      ["openDiff", "/main.ts", undefined],
    ]);
  });

  it("opens the log of a command, or the text that the transcript has", async () => {
    const { hub, tabs, done } = chat();
    tabs.tab("tab")?.transcript.publish({ op: "terminal", terminalId: "own", text: "output" });
    await hub.receive({ type: "open-full", tabId: "tab", itemId: "call", what: "shell" });
    await hub.receive({ type: "open-full", tabId: "tab", itemId: "call", what: "own" });
    assert.deepEqual(done, [["openText", "own", "output"]]);
  });

  it("keeps prompts of a tab whose agent cannot be had in its queue, where they can be changed and removed", async () => {
    const { hub, tabs } = chat();
    const prompt = { type: "prompt", tabId: "tab", attachments: [], when: "send" };
    await hub.receive({ ...prompt, messageId: "one", text: "first" });
    await hub.receive({ ...prompt, messageId: "two", text: "second" });
    await hub.receive({ type: "queue-edit", tabId: "tab", messageId: "one", text: "changed" });
    await hub.receive({ type: "queue-remove", tabId: "tab", messageId: "two" });
    assert.deepEqual(tabs.tab("tab")?.state.queue, [{ messageId: "one", text: "changed", attachments: [] }]);
    const told: ToWebview[] = [];
    tabs.pages.panel.pageReady((message) => Promise.resolve(told.push(message) > 0), {});
    await hub.receive({ type: "queue-edit", tabId: "tab", messageId: "two", text: "too late" });
    assert.deepEqual(told.at(-1), { type: "add-text", tabId: "tab", text: "too late" });
  });
});

describe("the tabs of the chat", () => {
  it("say when those that were closed are stored", async () => {
    let store: () => void = () => undefined;
    const { tabs } = chat(() => new Promise((resolve) => (store = resolve)));
    void tabs.close("tab");
    let isStored = false;
    const stored = tabs.whenClosed().then(() => (isStored = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isStored, false);
    store();
    await stored;
    assert.equal(isStored, true);
  });

  it("select the neighbour of one that is closed", async () => {
    const { hub, tabs } = chat();
    for (const tabId of ["two", "three"])
      tabs.restore({ record: { tabId, createdAt: 1 }, transcript: new TabTranscript(emptyTranscript()) });
    await hub.receive({ type: "select-tab", tabId: "two" });
    await hub.receive({ type: "close-tab", tabId: "two" });
    assert.deepEqual([tabs.tabIds, tabs.selected], [["tab", "three"], "three"]);
    await hub.receive({ type: "close-tab", tabId: "three" });
    assert.deepEqual([tabs.tabIds, tabs.selected], [["tab"], "tab"]);
  });
});
