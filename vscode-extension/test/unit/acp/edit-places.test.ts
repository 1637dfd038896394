import assert from "node:assert/strict";
import type { Members } from "@symposium-dev/core";
import { applyChange, type Change, type Item, newTabState, newTranscript } from "../../../protocol/index.js";
import { lineOfEdit } from "../../../src/acp/edit-place.js";
import { EditPlaces } from "../../../src/acp/edit-places.js";
import { SessionFold } from "../../../src/acp/session-fold.js";
import { SessionOptions } from "../../../src/acp/session-options.js";

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

describe("the line that an edit begins at", () => {
  const file = `${numbered(9)}  return 1;\n${numbered(3)}}\n`;
  const pending = { isOver: false };
  const over = { isOver: true };

  it("is that of the old text before the edit and of the new one after it", () => {
    const edit = { path: "/p", oldText: "  return 1;", newText: "  check();\n  return 2;" };
    assert.deepEqual(
      [lineOfEdit(file, edit, pending), lineOfEdit(file.replace(edit.oldText, edit.newText), edit, over)],
      [10, 10],
    );
  });

  it("is the first one of a whole file, and of a file that is not there yet", () => {
    assert.deepEqual(
      [
        lineOfEdit(file, { path: "/p", oldText: file, newText: "x" }, pending),
        lineOfEdit("x", { path: "/p", oldText: file, newText: "x" }, over),
        lineOfEdit(null, { path: "/p", newText: "x" }, pending),
        lineOfEdit("a\nx", { path: "/p", newText: "x" }, over),
        lineOfEdit(null, { path: "/p", oldText: "", newText: "x" }, pending),
      ],
      [1, 1, 1, 1, 1],
    );
  });

  it("is found by the longer text where the shorter one is a part of it, whenever the file is read", () => {
    const edit = { path: "/p", oldText: "  return 1;\n", newText: "  check();\n  return 1;\n" };
    const after = file.replace(edit.oldText, edit.newText);
    assert.deepEqual(
      [file, after].flatMap((text) => [lineOfEdit(text, edit, pending), lineOfEdit(text, edit, over)]),
      [10, 10, 10, 10],
    );
    const back = { path: "/p", oldText: edit.newText, newText: edit.oldText };
    assert.deepEqual(
      [after, file].flatMap((text) => [lineOfEdit(text, back, pending), lineOfEdit(text, back, over)]),
      [10, 10, 10, 10],
    );
  });

  it("does not depend on the kind of line ends", () => {
    const edit = { path: "/p", oldText: "line 9\n  return 1;", newText: "x" };
    assert.equal(lineOfEdit(file.replaceAll("\n", "\r\n"), edit, pending), 9);
  });

  it("is not guessed of a text that is there several times; the agent's line tells which one is meant", () => {
    const edit = { path: "/p", oldText: "line 2\nline 3\n", newText: "new\n" };
    assert.deepEqual(
      [undefined, 12, 3, 7].map((line) => lineOfEdit(file, edit, { ...pending, line })),
      [undefined, 12, 2, undefined],
    );
  });

  it("is the agent's where neither text is there, or the file is not read", () => {
    const edit = { path: "/p", oldText: "gone\n", newText: "gone as well\n" };
    assert.deepEqual(
      [lineOfEdit(file, edit, over), lineOfEdit(file, edit, { ...over, line: 4 }), lineOfEdit(undefined, edit, over)],
      [undefined, 4, undefined],
    );
    assert.equal(lineOfEdit(undefined, edit, { ...over, line: 4 }), 4);
  });

  it("is not that of a blank line", () => {
    assert.equal(lineOfEdit("a\n\nb\n", { path: "/p", oldText: "gone\n", newText: "\n" }, over), undefined);
  });
});

/** A session whose tool calls are shown with the places of their changes. */
class PlacedSession {
  readonly transcript = newTranscript(newTabState({ id: "agent", name: "Agent" }));
  readonly texts = new Map<string, string>();
  reads = 0;
  readonly places = new EditPlaces((path) => {
    this.reads++;
    return Promise.resolve(this.texts.get(path) ?? null);
  });
  readonly fold: SessionFold;

  constructor() {
    const { transcript } = this;
    const publish = (change: Change): void => applyChange(transcript, change);
    let ids = 0;
    const context = { transcript, publish, roots: ["/p"], now: () => 1_000, newId: () => `id-${++ids}` };
    const session = {
      tabId: "tab",
      sessionId: "s",
      agent: { id: "agent", name: "Agent" },
      roots: ["/p"],
      folders: ["/p"],
    };
    this.fold = new SessionFold(context, new SessionOptions(), {
      observeToolCall: (call) => this.places.toolCall({ ...session, transcript, publish }, call),
      observeOutput: () => undefined,
      titled: () => undefined,
      unreadable: (kind, reason) => assert.fail(`${kind}: ${reason}`),
    });
  }

  async update(update: Members): Promise<void> {
    this.fold.update({ toolCallId: "call", ...update });
    await this.places.settled();
  }

  /** The lines that the shown changes begin at. */
  get starts(): readonly (number | undefined)[] {
    const [item] = this.transcript.items as [Item];
    assert.ok(item.kind === "tool");
    return item.content.map((part) => (part.type === "diff" ? part.startsAt : undefined));
  }
}

describe("the places of an agent's changes", () => {
  const diff = (oldText: string, newText: string) => ({ type: "diff", path: "/p/a.ts", oldText, newText });
  const edit = { sessionUpdate: "tool_call", title: "Edit", kind: "edit", content: [diff("line 7\n", "seven\n")] };
  const end = { sessionUpdate: "tool_call_update", status: "completed" };

  it("are shown with the tool call, and stay when it goes on and when it is cancelled", async () => {
    const session = new PlacedSession();
    session.texts.set("/p/a.ts", numbered(9));
    await session.update(edit);
    assert.deepEqual(session.starts, [7]);
    await session.update({ ...edit, sessionUpdate: "tool_call_update", title: "Edit a.ts" });
    assert.deepEqual([session.starts, session.reads], [[7], 1]);
    session.fold.turnEnded(false);
    assert.deepEqual(session.starts, [7]);
  });

  it("are looked for again when the call has ended", async () => {
    const session = new PlacedSession();
    session.texts.set("/p/a.ts", "line 7\n".repeat(2));
    await session.update(edit);
    assert.deepEqual(session.starts, [undefined]);
    session.texts.set("/p/a.ts", "line 7\nseven\n");
    await session.update(end);
    assert.deepEqual(session.starts, [2]);
  });

  it("stay as they were found where the file cannot tell them any more", async () => {
    const session = new PlacedSession();
    session.texts.set("/p/a.ts", numbered(9));
    await session.update(edit);
    session.texts.set("/p/a.ts", "seven\n".repeat(2));
    await session.update(end);
    assert.deepEqual(session.starts, [7]);
  });

  it("are those that the agent names for each of several changes of a file", async () => {
    const session = new PlacedSession();
    session.texts.set("/p/a.ts", "a\nb\n".repeat(5));
    const content = [diff("x\n", "a\n"), diff("y\n", "b\n")];
    const at = (line: number) => ({ path: "/p/a.ts", line });
    await session.update({ ...edit, content, locations: [at(3), at(8)] });
    await session.update(end);
    assert.deepEqual(session.starts, [3, 8]);
    await session.update({ ...end, locations: [at(3)] });
    assert.deepEqual(session.starts, [3, 8]);
  });

  it("are not looked for in a file whose path is not absolute", async () => {
    const session = new PlacedSession();
    await session.update({ ...edit, content: [{ ...diff("a\n", "b\n"), path: "a.ts" }] });
    assert.deepEqual([session.starts, session.reads], [[undefined], 0]);
  });
});
