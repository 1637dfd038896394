import { type Change, type Item, newTabState, type ToWebview } from "../../protocol/index.js";
import { noSettings } from "../../webview/chat/state/chat-store.js";
import { conversation } from "./conversation.js";
import { offerBench } from "./feed.js";

const tabId = "t1";
let index = 0;

// The page asks for its tabs when it is ready.
const ready = new Promise<void>((resolve) => {
  Object.assign(globalThis, {
    acquireVsCodeApi: () => ({ postMessage: () => resolve(), getState: () => undefined, setState: () => undefined }),
  });
});

offerBench({
  open: () =>
    show([
      { kind: "user", id: "u", text: "Go", attachments: [] },
      { kind: "text", id: "a", text: "" },
    ]),
  answer: (text) => change({ op: "append", id: "a", text }),
  output: (text) => {
    if (index === 0) change({ op: "put", item: command });
    change({ op: "terminal", terminalId: "c1", text });
  },
  restore: (count) => void ready.then(() => show(conversation(count))),
  isSettled: () =>
    [...document.querySelectorAll("symposium-markdown")].every((text) => Reflect.get(text, "isDone") === true),
  shownEnd: () => [...document.querySelectorAll(".row")].at(-1)?.textContent.slice(-200) ?? "",
});

const command: Item = {
  kind: "tool",
  id: "run",
  title: "npm test",
  toolKind: "execute",
  status: "in_progress",
  locations: [],
  content: [{ type: "terminal", terminalId: "c1" }],
  startedAt: Date.now(),
};

function show(items: Item[]): void {
  index = 0;
  const state = { ...newTabState({ id: "a", name: "Agent" }), phase: "running" as const, turnStartedAt: Date.now() };
  tell({ type: "settings", settings: noSettings });
  tell({ type: "tabs", tabIds: [tabId], selected: tabId });
  tell({ type: "snapshot", tabId, index, state, items, total: items.length, terminals: [] });
}

function change(...changes: Change[]): void {
  index += changes.length;
  tell({ type: "changes", tabId, index, changes });
}

function tell(data: ToWebview): void {
  window.dispatchEvent(new MessageEvent("message", { data }));
}
