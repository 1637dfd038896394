import { commands, type Disposable } from "vscode";
import type { ChatTabs } from "./chat-tabs.js";
import type { MessageHub } from "../pages/message-hub.js";

export function registerTestCommands(hub: MessageHub, tabs: ChatTabs): Disposable[] {
  const captures = new Map<string, { text: string; subscription: globalThis.Disposable }>();
  const table: Readonly<Record<string, (...args: never[]) => unknown>> = {
    simulateNewTab: (tabId: string, agentId?: string) =>
      hub.receive({ type: "new-tab", tabId, ...(agentId === undefined ? {} : { agentId }) }),
    getTabs: () => [...tabs.tabIds],
    sendPrompt: (tabId: string, text: string) =>
      hub.receive({ type: "prompt", tabId, messageId: crypto.randomUUID(), text, attachments: [], when: "send" }),
    startCapturingResponses: (tabId: string) => {
      captures.get(tabId)?.subscription[Symbol.dispose]();
      const capture = { text: "", subscription: capturing(tabs, tabId, (text) => (capture.text += text)) };
      captures.set(tabId, capture);
    },
    getResponse: (tabId: string) => {
      tabs.tab(tabId)?.transcript.flush();
      return captures.get(tabId)?.text ?? "";
    },
    stopCapturingResponses: (tabId: string) => {
      captures.get(tabId)?.subscription[Symbol.dispose]();
      captures.delete(tabId);
    },
    getState: (tabId: string) => tabs.tab(tabId)?.state,
    getItems: (tabId: string) => [...(tabs.tab(tabId)?.transcript.transcript.items ?? [])],
    dispatch: (message: unknown) => hub.receive(message),
  };
  return Object.entries(table).map(([name, run]) => commands.registerCommand(`symposium.test.${name}`, run));
}

function capturing(tabs: ChatTabs, tabId: string, add: (text: string) => void): globalThis.Disposable {
  const transcript = tabs.tab(tabId)?.transcript;
  const known = new Map<string, number>();
  for (const item of transcript?.transcript.items ?? []) if (item.kind === "text") known.set(item.id, item.text.length);
  const subscription = transcript?.onChanges(() => {
    for (const item of transcript.transcript.items) {
      if (item.kind !== "text") continue;
      const seen = known.get(item.id) ?? 0;
      if (item.text.length > seen) add(item.text.slice(seen));
      known.set(item.id, item.text.length);
    }
  });
  return subscription ?? { [Symbol.dispose]: () => undefined };
}
