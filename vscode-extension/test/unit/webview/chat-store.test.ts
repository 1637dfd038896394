import assert from "node:assert/strict";
import { ChatStore } from "../../../webview/chat/state/chat-store.js";
import { Sentences } from "../../../webview/chat/announcements.js";
import { colouredLines, diffLines } from "../../../webview/chat/tool/diff-lines.js";
import { durationText } from "../../../webview/chat/items/clock.js";
import { changes, opened } from "./samples.js";

const text = (id: string, content = ""): { kind: "text"; id: string; text: string } => ({
  kind: "text",
  id,
  text: content,
});

describe("ChatStore", () => {
  it("applies changes once, even when they come again", () => {
    const store = open(opened([text("a")], { index: 3 }));
    const change = changes(4, { op: "append", id: "a", text: "x" });
    store.receive(change);
    store.receive(change);
    assert.deepEqual(store.selected?.transcript.items, [text("a", "x")]);
  });

  it("applies only the new part of changes that overlap", () => {
    const store = open(opened([text("a")], { index: 3 }));
    const x = { op: "append", id: "a", text: "x" } as const;
    store.receive(changes(4, x));
    store.receive(changes(5, x, { op: "append", id: "a", text: "y" }));
    assert.deepEqual(store.selected?.transcript.items, [text("a", "xy")]);
  });

  it("asks again when it misses changes, and applies none of the later ones", () => {
    const store = open(opened([text("a")], { index: 3 }));
    let gaps = 0;
    store.onGap = () => (gaps += 1);
    store.receive(changes(6, { op: "append", id: "a", text: "z" }));
    assert.deepEqual([gaps, store.selected?.transcript.items, store.lastSeen()], [1, [text("a")], { t1: 3 }]);
  });

  it("puts older items before the others", () => {
    const store = open(opened([text("c")], { total: 3 }));
    store.receive({ type: "older-items", tabId: "t1", beforeId: "c", items: [text("a"), text("b")], terminals: [] });
    const { transcript } = store.selected ?? assert.fail("no tab");
    assert.deepEqual([transcript.items.map(({ id }) => id), transcript.byId.get("c")], [["a", "b", "c"], 2]);
  });

  it("awaits no older items in the place of items that are gone", () => {
    const store = open(opened([text("a"), text("b"), text("c")], { total: 5, index: 3 }));
    const removed = ["b", "c"].map((id) => ({ op: "remove", id }) as const);
    store.receive(changes(6, ...removed, { op: "put", item: text("d") }));
    assert.deepEqual([store.selected?.total, store.selected?.transcript.items.length], [4, 2]);
  });

  it("offers no first tab until the extension has said what there is", () => {
    const store = new ChatStore();
    const before = store.isOpening;
    store.receive({ type: "settings", settings: { ...store.settings } });
    assert.deepEqual([before, store.isOpening], [true, false]);
  });

  it("shows no other tab while the one that the user opens is on its way", () => {
    const store = open(opened([text("a")]));
    const [, , snapshot] = opened([]);
    assert.ok(snapshot?.type === "snapshot");
    store.open("t2");
    const shown = (): unknown => [store.selected?.tabId, store.isOpening];
    const before = shown();
    store.receive({ type: "tabs", tabIds: ["t1"], selected: "t1" });
    const meanwhile = shown();
    store.receive({ type: "tabs", tabIds: ["t1", "t2"], selected: "t1" });
    store.receive({ ...snapshot, tabId: "t2" });
    store.receive({ type: "tabs", tabIds: ["t1", "t2"], selected: "t2" });
    assert.deepEqual(
      [before, meanwhile, shown()],
      [
        [undefined, true],
        [undefined, true],
        ["t2", false],
      ],
    );
  });

  it("keeps the tab that the user has chosen from what the extension sent before it heard of that", () => {
    const store = open(opened([]));
    const tell = (selected: string, tabIds = ["t1", "t2", "t3"]): string | undefined => {
      store.receive({ type: "tabs", tabIds, selected });
      return store.selected?.tabId;
    };
    const [, , snapshot] = opened([]);
    assert.ok(snapshot?.type === "snapshot");
    for (const tabId of ["t2", "t3"]) store.receive({ ...snapshot, tabId });
    store.select("t2");
    const shown = [tell("t1"), tell("t3"), tell("t2"), tell("t3")];
    store.select("t1");
    assert.deepEqual([shown, tell("t3", ["t2", "t3"])], [["t2", "t2", "t2", "t3"], "t3"]);
  });

  it("drops tabs that the extension does not have", () => {
    const store = open(opened([]));
    store.receive({ type: "tabs", tabIds: ["t2"], selected: "t2" });
    assert.deepEqual([store.tabs, store.lastSeen()], [[], {}]);
  });
});

describe("Sentences", () => {
  it("gives out whole sentences, once, without marks", () => {
    const sentences = new Sentences();
    const parts = ["The **fix** is ", "The **fix** is in. See `a", "The **fix** is in. See `a.ts`. En"];
    assert.deepEqual(
      parts.map((part) => sentences.next(part, false)),
      ["", "The fix is in.", "See a.ts."],
    );
  });

  it("gives out the rest at the end", () => {
    assert.equal(new Sentences().next("# Title\nno full stop", true), "Title no full stop");
  });

  it("does not read long code aloud", () => {
    const code = `Before.\n\`\`\`ts\n${"let a = 1;\n".repeat(40)}\`\`\`\nAfter.`;
    assert.equal(new Sentences().next(code, true), "Before. Code. After.");
  });
});

describe("diffLines", () => {
  const patch = "@@ -4,3 +4,3 @@ fn a\n x\n-y\n+z\n";

  it("numbers the lines of each side from where the texts begin in their file", () => {
    assert.deepEqual(diffLines(patch, 11), [
      { kind: "gap", text: "fn a" },
      { kind: "context", text: "x", before: 14, after: 14 },
      { kind: "removed", text: "y", before: 15 },
      { kind: "added", text: "z", after: 15 },
    ]);
  });

  it("has no numbers where that is not known", () => {
    assert.deepEqual(diffLines(patch, undefined), [
      { kind: "gap", text: "fn a" },
      { kind: "context", text: "x" },
      { kind: "removed", text: "y" },
      { kind: "added", text: "z" },
    ]);
  });
});

describe("colouredLines", () => {
  it("colours each side by itself, and closes in each line what goes on in the next one", () => {
    const lines = diffLines("@@ -1,3 +1,3 @@\n a < 1\n-/* old\n-one */\n+new\n", 1);
    const coloured = colouredLines(lines, "ts");
    assert.deepEqual(
      lines.map((line) => coloured.get(line)),
      [
        'a &lt; <span class="hljs-number">1</span>',
        '<span class="hljs-comment">/* old</span>',
        '<span class="hljs-comment">one */</span>',
        '<span class="hljs-keyword">new</span>',
      ],
    );
  });

  it("has nothing for a language that is not known", () => {
    assert.equal(colouredLines(diffLines("@@ -1 +1 @@\n-a\n+b\n", 1), "unheard-of").size, 0);
  });
});

describe("durationText", () => {
  it("says durations as people do", () => {
    assert.deepEqual([40, 420, 12_300, 60_000, 185_000, 3_720_000].map(durationText), [
      "0 s",
      "0.4 s",
      "12 s",
      "1 min",
      "3 min 5 s",
      "1 h 2 min",
    ]);
  });
});

function open(messages: Parameters<ChatStore["receive"]>[0][]): ChatStore {
  const store = new ChatStore();
  for (const message of messages) store.receive(message);
  return store;
}
