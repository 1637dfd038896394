import assert from "node:assert/strict";
import fc from "fast-check";
import type { Change } from "../../../protocol/index.js";
import { ChangeBuffer } from "../../../src/features/chat/tab-transcript.js";
import { anyChange, transcriptAfter } from "./change-samples.js";

function merged(changes: readonly Change[]): Change[] {
  const buffer = new ChangeBuffer();
  for (const change of changes) buffer.add(change);
  return buffer.take();
}

describe("a change buffer", () => {
  it("has the same effect as every change that was added, wherever it is emptied", () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 40 }), fc.nat(40), (changes, at) => {
        const split = [...merged(changes.slice(0, at)), ...merged(changes.slice(at))];
        assert.deepEqual(transcriptAfter(split), transcriptAfter(changes));
      }),
      { numRuns: 500 },
    );
  });

  it("makes one change of text that is added to an item, whatever else happens between", () => {
    const changes: Change[] = [
      { op: "append", id: "answer", text: "one " },
      { op: "tab", patch: { title: "A" } },
      { op: "append", id: "answer", text: "two" },
      { op: "tab", patch: { title: "B" } },
    ];
    assert.deepEqual(merged(changes), [
      { op: "append", id: "answer", text: "one two" },
      { op: "tab", patch: { title: "B" } },
    ]);
  });

  it("keeps only the last of several versions of an item, at the place of the first", () => {
    const plan = (status: string): Change => ({
      op: "put",
      item: { kind: "plan", id: "plan", entries: [{ content: "Read", priority: "high", status }] },
    });
    const other: Change = { op: "put", item: { kind: "text", id: "answer", text: "" } };
    assert.deepEqual(merged([plan("pending"), other, plan("completed")]), [plan("completed"), other]);
  });

  it("joins output of a command, and begins anew where the output is replaced", () => {
    assert.deepEqual(
      merged([
        { op: "terminal", terminalId: "t", text: "lost" },
        { op: "terminal", terminalId: "t", text: "a", isReset: true },
        { op: "terminal", terminalId: "t", text: "b", exit: { code: 0, signal: null } },
      ]),
      [{ op: "terminal", terminalId: "t", text: "ab", isReset: true, exit: { code: 0, signal: null } }],
    );
  });
});
