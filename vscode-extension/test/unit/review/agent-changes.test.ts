import assert from "node:assert/strict";
import { AgentChanges, type WatchedToolCall } from "../../../src/features/review/turns/agent-changes.js";
import type { FileText } from "../../../src/features/review/hunks/file-review.js";
import { reverseEdits } from "../../../src/features/review/hunks/reverse-edit.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";

const tab = "tab";
const path = "/project/a.txt";

function setUp(texts: Record<string, FileText>): {
  files: Map<string, FileText>;
  book: ReviewBook;
  changes: AgentChanges;
} {
  const files = new Map(Object.entries(texts));
  const book = new ReviewBook();
  const changes = new AgentChanges({ read: (file) => Promise.resolve(files.get(file) ?? null) }, book);
  return { files, book, changes };
}

function call(part: Partial<WatchedToolCall>): WatchedToolCall {
  return { id: "1", kind: "edit", status: "pending", paths: [path], edits: [], ...part };
}

function waiting(book: ReviewBook): unknown[] {
  return book.files().map(({ path: file, review }) => [file, review.state, review.baseline, review.current]);
}

describe("what agents change by themselves", () => {
  it("is found by reading the named file before and after the tool call", async () => {
    const { files, book, changes } = setUp({ [path]: "old\n" });
    changes.toolCall(tab, call({}));
    await Promise.resolve();
    files.set(path, "new\n");
    changes.toolCall(tab, call({ status: "completed" }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[path, "modified", "old\n", "new\n"]]);
  });

  it("is told by the agent's own report when the agent was faster than we", async () => {
    const { book, changes } = setUp({ [path]: "a\nnew\nc\n" });
    const edits = [{ path, oldText: "old\n", newText: "new\n" }];
    changes.toolCall(tab, call({ status: "completed", edits }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[path, "modified", "a\nold\nc\n", "a\nnew\nc\n"]]);
  });

  it("is told by its report where we read the file just as the agent had emptied it to write it anew", async () => {
    const edits = [{ path, oldText: "old\n", newText: "new\n" }];
    for (const booked of [undefined, "old\n"]) {
      const { files, book, changes } = setUp({ [path]: "" });
      if (booked !== undefined) book.agentChanged(tab, path, "oldest\n", booked);
      changes.toolCall(tab, call({ status: "in_progress", edits }));
      await new Promise(setImmediate);
      files.set(path, "new\n");
      changes.toolCall(tab, call({ status: "completed" }));
      await changes.turnEnded(tab);
      assert.deepEqual(waiting(book), [[path, "modified", booked === undefined ? "old\n" : "oldest\n", "new\n"]]);
    }
  });

  it("is a creation where we read the file just as the agent had created it, still empty", async () => {
    const { files, book, changes } = setUp({ [path]: "" });
    changes.toolCall(tab, call({ status: "in_progress", edits: [{ path, oldText: null, newText: "new\n" }] }));
    await new Promise(setImmediate);
    files.set(path, "new\n");
    changes.toolCall(tab, call({ status: "completed" }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[path, "created", null, "new\n"]]);
  });

  it("is nothing when the tool call failed before it wrote", async () => {
    const { book, changes } = setUp({ [path]: "old\n" });
    changes.toolCall(tab, call({}));
    changes.toolCall(tab, call({ status: "failed", edits: [{ path, oldText: "old\n", newText: "new\n" }] }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), []);
  });

  it("counts a created and a deleted file", async () => {
    const { files, book, changes } = setUp({ "/project/gone": "was\n" });
    changes.toolCall(tab, call({ id: "1", paths: ["/project/made"] }));
    changes.toolCall(tab, call({ id: "2", kind: "delete", paths: ["/project/gone"] }));
    await Promise.resolve();
    files.set("/project/made", "is\n");
    files.delete("/project/gone");
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [
      ["/project/made", "created", null, "is\n"],
      ["/project/gone", "deleted", "was\n", null],
    ]);
  });

  it("is looked at when the turn ends, though the tool call never did", async () => {
    const { files, book, changes } = setUp({ [path]: "old\n" });
    changes.toolCall(tab, call({ status: "in_progress" }));
    await Promise.resolve();
    files.set(path, "new\n");
    await changes.turnEnded(tab);
    assert.equal(waiting(book).length, 1);
  });

  it("adds up over tool calls, from the first text to the last", async () => {
    const { files, book, changes } = setUp({ [path]: "one\n" });
    for (const [id, text] of [
      ["1", "two\n"],
      ["2", "three\n"],
    ] as const) {
      changes.toolCall(tab, call({ id }));
      await new Promise(setImmediate);
      files.set(path, text);
      changes.toolCall(tab, call({ id, status: "completed" }));
      await new Promise(setImmediate);
    }
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[path, "modified", "one\n", "three\n"]]);
  });

  it("is found where the agent wrote by itself before it had the editor write the same", async () => {
    const { files, book, changes } = setUp({ [path]: "old\n" });
    changes.toolCall(tab, call({}));
    await new Promise(setImmediate);
    files.set(path, "new\n");
    changes.written(tab, path, "new\n", "new\n");
    changes.toolCall(tab, call({ status: "completed" }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[path, "modified", "old\n", "new\n"]]);
  });

  it("is counted once where the editor wrote it and the agent reports it afterwards", async () => {
    const { files, book, changes } = setUp({ [path]: "a\nold\nc\n" });
    changes.toolCall(tab, call({}));
    files.set(path, "a\nnew\nc\n");
    changes.written(tab, path, "a\nold\nc\n", "a\nnew\nc\n");
    book.keep(path);
    changes.toolCall(tab, call({ status: "completed", edits: [{ path, oldText: "old", newText: "new" }] }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), []);
  });

  it("is found in a turn that begins while the one before is still looked at", async () => {
    const next = "/project/b.txt";
    const { files, book, changes } = setUp({ [path]: "old\n", [next]: "old\n" });
    changes.toolCall(tab, call({}));
    const ended = changes.turnEnded(tab);
    changes.toolCall(tab, call({ id: "2", paths: [next] }));
    await ended;
    files.set(next, "new\n");
    changes.toolCall(tab, call({ id: "2", paths: [next], status: "completed" }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[next, "modified", "old\n", "new\n"]]);
  });

  it("leaves out what the user typed between two tool calls", async () => {
    const { files, book, changes } = setUp({ [path]: "one\ntwo\n" });
    changes.toolCall(tab, call({ id: "1" }));
    await new Promise(setImmediate);
    files.set(path, "ONE\ntwo\n");
    changes.toolCall(tab, call({ id: "1", status: "completed" }));
    await new Promise(setImmediate);
    files.set(path, "ONE\ntwo\nmine\n");
    book.userChanged(path, "ONE\ntwo\nmine\n");
    changes.toolCall(tab, call({ id: "2" }));
    files.set(path, "ONE\nTWO\nmine\n");
    changes.toolCall(tab, call({ id: "2", status: "completed" }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[path, "modified", "one\ntwo\nmine\n", "ONE\nTWO\nmine\n"]]);
  });

  it("leaves out what another program wrote between two tool calls, or while one waited to begin", async () => {
    const { files, book, changes } = setUp({ [path]: "1\n2\n3\n4\n5\n" });
    changes.toolCall(tab, call({ id: "1" }));
    await new Promise(setImmediate);
    files.set(path, "1\n2\n3\nmine\n5\n");
    changes.fileChanged(path);
    await new Promise(setImmediate);
    files.set(path, "ONE\n2\n3\nmine\n5\n");
    changes.toolCall(tab, call({ id: "1", status: "completed" }));
    await changes.settled();
    files.set(path, "ONE\n2\n3\nmine\nmine too\n");
    changes.toolCall(tab, call({ id: "2" }));
    await new Promise(setImmediate);
    files.set(path, "ONE\n2\nTHREE\nmine\nmine too\n");
    changes.toolCall(tab, call({ id: "2", status: "completed" }));
    await changes.turnEnded(tab);
    const own = "1\n2\n3\nmine\nmine too\n";
    assert.deepEqual(waiting(book), [[path, "modified", own, "ONE\n2\nTHREE\nmine\nmine too\n"]]);
  });

  it("is not what happens after a tool call's end, nor while one waits that is then refused", async () => {
    const { files, book, changes } = setUp({ [path]: "old\n" });
    changes.toolCall(tab, call({ id: "1", status: "in_progress" }));
    changes.toolCall(tab, call({ id: "1", status: "completed" }));
    await changes.settled();
    files.set(path, "mine\n");
    changes.toolCall(tab, call({ id: "1", status: "completed" }));
    await changes.settled();
    changes.toolCall(tab, call({ id: "2" }));
    await new Promise(setImmediate);
    files.set(path, "mine again\n");
    changes.toolCall(tab, call({ id: "2", status: "failed" }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), []);
  });

  it("is not what the user saved in the editor while a tool call ran", async () => {
    const { files, book, changes } = setUp({ [path]: "old\n" });
    changes.toolCall(tab, call({ status: "in_progress" }));
    await new Promise(setImmediate);
    files.set(path, "old\nmine\n");
    changes.fileSaved(path, "old\nmine\n");
    files.set(path, "new\nmine\n");
    changes.toolCall(tab, call({ status: "completed" }));
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), [[path, "modified", "old\nmine\n", "new\nmine\n"]]);
  });

  it("leaves files alone that a tool call only reads", async () => {
    const { files, book, changes } = setUp({ [path]: "old\n" });
    changes.toolCall(tab, call({ kind: "read" }));
    files.set(path, "new\n");
    await changes.turnEnded(tab);
    assert.deepEqual(waiting(book), []);
  });
});

describe("the text before reported edits", () => {
  it("is not guessed where the new text stands twice", () => {
    assert.equal(reverseEdits("x\nx\n", [{ oldText: "y\n", newText: "x\n" }]), undefined);
  });

  it("is no file where the report says so", () => {
    assert.equal(reverseEdits("all\n", [{ oldText: null, newText: "all\n" }]), null);
  });

  it("is found through several edits, the last one first", () => {
    const edits = [
      { oldText: "a", newText: "b" },
      { oldText: "b", newText: "c" },
    ];
    assert.equal(reverseEdits("-c-", edits), "-a-");
  });
});

describe("the book of reviews", () => {
  it("goes on after a restart, with what the user did in between left to the user", () => {
    const first = new ReviewBook();
    first.agentChanged(tab, path, "1\n2\n3\n4\n5\n", "1\nTWO\n3\n4\n5\n");
    const [stored] = first.store();
    assert.ok(stored);
    const second = new ReviewBook();
    second.restore(stored, "1\nTWO\n3\n4\nFIVE\n");
    assert.equal(second.undo(path)?.text, "1\n2\n3\n4\nFIVE\n");
  });

  it("drops a file from the list with its last change, and lists it again when the editor brings the change back", () => {
    const book = new ReviewBook();
    book.agentChanged(tab, path, "old\n", "new\n");
    assert.equal(book.undo(path)?.text, "old\n");
    assert.deepEqual(book.files(tab), []);
    book.userChanged(path, "new\n");
    assert.equal(book.files(tab).length, 1);
  });

  it("takes what happened between two changes of the agent for the user's", () => {
    const book = new ReviewBook();
    book.agentChanged(tab, path, "1\n2\n3\n4\n5\n", "1\nTWO\n3\n4\n5\n");
    book.agentChanged(tab, path, "1\nTWO\n3\nmine\n5\n", "1\nTWO\n3\nmine\nFIVE\n");
    const review = book.find(path)?.review;
    assert.deepEqual(
      review?.hunks.map(({ added }) => added),
      [["TWO\n"], ["FIVE\n"]],
    );
  });
});
