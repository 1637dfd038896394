import assert from "node:assert/strict";
import { type Item, newTabState } from "../../../protocol/index.js";
import { Announcements } from "../../../webview/chat/announcements.js";
import { ChatStore } from "../../../webview/chat/state/chat-store.js";

describe("what a screen reader is told", () => {
  it("says once that a turn has ended, also where its end is shown anew", () => {
    const store = new ChatStore();
    const state = newTabState({ id: "eliza", name: "Eliza" });
    store.receive({ type: "snapshot", tabId: "t", index: 0, state, items: [], total: 0, terminals: [] });
    const announcements = new Announcements();
    announcements.next(store.selected);
    const end = { kind: "turn-end", id: "e", stopReason: "end_turn" } as const;
    const said = [end, { ...end, tellsOfKeeping: true }].map((item: Item, at) => {
      store.receive({ type: "changes", tabId: "t", index: at + 1, changes: [{ op: "put", item }] });
      return announcements.next(store.selected);
    });
    assert.deepEqual(said, [["The turn has ended."], []]);
  });
});
