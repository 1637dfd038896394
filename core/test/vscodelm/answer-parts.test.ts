import assert from "node:assert/strict";
import fc from "fast-check";
import { AnswerParts } from "../../src/vscodelm/answer-parts.js";
import type { LmPart } from "../../src/vscodelm/wire.js";

describe("the parts of an answer", () => {
  let parts: LmPart[];
  let answer: AnswerParts;
  beforeEach(() => {
    parts = [];
    answer = new AnswerParts((part) => parts.push(part));
  });

  it("have no character that is cut between two of them", () => {
    for (const text of ["a\ud83d", "\ude00b", "c"]) answer.content(text);
    assert.deepEqual(parts, [
      { type: "text", value: "a" },
      { type: "text", value: "\u{1f600}b" },
      { type: "text", value: "c" },
    ]);
  });

  it("say where half of a character is all there is, before anything else is told", () => {
    answer.content("a\ud83d");
    answer.toolCall({ id: "1", name: "read", args: {} });
    answer.reasoning("b\ud83d");
    answer.content("c");
    answer.finish("end_turn");
    assert.deepEqual(parts, [
      { type: "text", value: "a" },
      { type: "text", value: "\ufffd" },
      { type: "tool_call", toolCallId: "1", toolName: "read", parameters: {} },
      { type: "thinking", value: "b" },
      { type: "thinking", value: "\ufffd" },
      { type: "text", value: "c" },
    ]);
    assert.deepEqual(answer.given(false), { text: "a\ufffdc", callIds: ["1"], isPartial: false });
  });

  it("are together what the agent said, wherever that was cut, and what the history has", () => {
    const unit = fc.constantFrom("a", "\u{1f600}", "\u6f22", " ");
    fc.assert(
      fc.property(fc.array(unit), fc.array(fc.nat(40)), (units, cuts) => {
        const told: LmPart[] = [];
        const cutAnswer = new AnswerParts((part) => told.push(part));
        const whole = units.join("");
        let from = 0;
        for (const to of [...cuts, whole.length].filter((cut) => cut <= whole.length).sort((a, b) => a - b)) {
          cutAnswer.content(whole.slice(from, to));
          from = to;
        }
        cutAnswer.flush();
        const text = told.map((part) => (part.type === "text" ? part.value : "")).join("");
        assert.deepEqual([text, cutAnswer.given(true).text], [whole, whole]);
        for (const part of told) if (part.type === "text") assert.doesNotThrow(() => encodeURIComponent(part.value));
      }),
    );
  });
});
