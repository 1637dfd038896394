import assert from "node:assert/strict";
import type { Item } from "../../../protocol/index.js";
import {
  agentAt,
  answerBefore,
  isFirstAnswer,
  promptRow,
  summaryText,
  toRows,
} from "../../../webview/chat/transcript/rows.js";
import { RowLayout } from "../../../webview/chat/transcript/row-layout.js";

const user = (id: string): Item => ({ kind: "user", id, text: id, attachments: [] });
const text = (id: string): Item => ({ kind: "text", id, text: id });
const tool = (id: string, parentId?: string): Extract<Item, { kind: "tool" }> => ({
  kind: "tool",
  id,
  title: id,
  toolKind: "read",
  status: "completed",
  locations: [],
  content: [],
  startedAt: 0,
  ...(parentId === undefined ? {} : { parentId }),
});
const end = (id: string): Item => ({ kind: "turn-end", id, stopReason: "end_turn" });

describe("toRows", () => {
  it("puts the tool calls of a sub-agent into the call that started it", () => {
    const { rows, children } = rowsOf([user("u"), tool("t"), tool("t1", "t"), tool("t2", "t")]);
    assert.deepEqual(
      [ids(rows), ids(children.get("t") ?? [])],
      [
        ["u", "t"],
        ["t1", "t2"],
      ],
    );
  });

  it("shows a call whose parent is not there by itself", () => {
    assert.deepEqual(ids(rowsOf([tool("t1", "gone")]).rows), ["t1"]);
  });

  it("hides the tool calls of each turn behind one summary in the focus view", () => {
    const items = [user("u"), tool("t"), text("a"), tool("t2"), end("e"), user("u2"), text("b")];
    assert.deepEqual(ids(rowsOf(items, () => false).rows), ["u", "summary-t", "a", "e", "u2", "b"]);
  });

  it("shows them below their summary when it is unfolded", () => {
    const items = [user("u"), tool("t"), text("a"), tool("t2")];
    assert.deepEqual(ids(rowsOf(items, () => true).rows), ["u", "summary-t", "t", "a", "t2"]);
  });

  it("never hides what waits for the user", () => {
    const question: Item = { kind: "elicitation", id: "q", message: "?", mode: "form" };
    assert.deepEqual(ids(rowsOf([user("u"), tool("t"), question], () => false).rows), ["u", "summary-t", "q"]);
  });
});

describe("turns", () => {
  const { rows } = rowsOf([text("before"), user("u"), tool("t"), text("a"), text("b"), end("e")]);

  it("knows the prompt a row belongs to", () => {
    assert.deepEqual([promptRow(rows, 0), promptRow(rows, 5)], [undefined, 1]);
  });

  it("names the agent that answered, after another one has gone on", () => {
    const goesOn: Item = { kind: "notice", id: "n", severity: "info", title: "", actions: [], agentBefore: "First" };
    const { rows: all } = rowsOf([user("u"), text("a"), goesOn, user("u2"), text("b")]);
    assert.deepEqual([agentAt(all, 1, "Second"), agentAt(all, 4, "Second")], ["First", "Second"]);
  });

  it("gives the heading to the first part of an answer", () => {
    assert.deepEqual(
      [0, 3, 4].map((at) => isFirstAnswer(rows, at)),
      [true, true, false],
    );
  });

  it("copies the answer of one turn", () => {
    assert.equal(answerBefore(rows, 5), "a\n\nb");
  });

  it("counts steps, edited files and failures in a summary", () => {
    const diff = { type: "diff", path: "/a", patch: "", added: 1, removed: 0, isNewFile: false, isCut: false } as const;
    const tools = [
      { ...tool("1"), content: [diff] },
      { ...tool("2"), content: [diff] },
      { ...tool("3"), status: "failed" as const },
    ];
    assert.equal(summaryText({ tools }), "3 steps, 1 file edited, 1 failed");
  });
});

describe("RowLayout", () => {
  it("gives the rows that meet a stretch, by known heights and estimates", () => {
    const layout = new RowLayout();
    layout.measure("a", 100);
    layout.set(["a", "b", "c", "d"], () => 50);
    assert.deepEqual(layout.rangeOf(120, 160), { first: 1, last: 3, before: 100, after: 50 });
  });

  it("gives the whole of a short list", () => {
    const layout = new RowLayout();
    layout.set(["a", "b"], () => 10);
    assert.deepEqual(layout.rangeOf(-500, 500), { first: 0, last: 2, before: 0, after: 0 });
  });

  it("has no rows in an empty list", () => {
    assert.deepEqual(new RowLayout().rangeOf(0, 100), { first: 0, last: 0, before: 0, after: 0 });
  });
});

function rowsOf(items: Item[], isUnfolded?: () => boolean): ReturnType<typeof toRows> {
  const byId = new Map(items.map(({ id }, at) => [id, at]));
  return toRows(items, byId, isUnfolded && { isUnfolded });
}

function ids(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
