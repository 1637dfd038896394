import assert from "node:assert/strict";
import fc from "fast-check";
import { type AnswerSink, RecordedAnswer } from "../../src/models/answer-sink.js";

type Piece = readonly [kind: string, text: string];

/** Writes down what it gets. */
function notes(pieces: Piece[]): AnswerSink {
  return {
    content: (text) => void pieces.push(["text", text]),
    reasoning: (text) => void pieces.push(["thought", text]),
    toolCall: ({ name }) => void pieces.push(["call", name]),
  };
}

describe("the pieces of an answer", () => {
  let pieces: Piece[];
  let answer: RecordedAnswer;
  beforeEach(() => {
    pieces = [];
    answer = new RecordedAnswer(notes(pieces));
  });

  it("have no character that is cut between two of them", () => {
    for (const text of ["a\ud83d", "\ude00b", "c"]) answer.content(text);
    assert.deepEqual(pieces, [
      ["text", "a"],
      ["text", "\u{1f600}b"],
      ["text", "c"],
    ]);
  });

  it("say where half of a character is all there is, before anything else is passed on", () => {
    answer.content("a\ud83d");
    answer.toolCall({ id: "1", name: "read", args: {} });
    answer.reasoning("b\ud83d");
    answer.content("c");
    answer.flush();
    assert.deepEqual(pieces, [
      ["text", "a"],
      ["text", "\ufffd"],
      ["call", "read"],
      ["thought", "b"],
      ["thought", "\ufffd"],
      ["text", "c"],
    ]);
    assert.deepEqual(answer.given(false), { text: "a\ufffdc", callIds: ["1"], isPartial: false });
  });

  it("are together what the agent said, wherever that was cut, and what the history has", () => {
    const unit = fc.constantFrom("a", "\u{1f600}", "\u6f22", " ");
    fc.assert(
      fc.property(fc.array(unit), fc.array(fc.nat(40)), (units, cuts) => {
        const passed: Piece[] = [];
        const cutAnswer = new RecordedAnswer(notes(passed));
        const whole = units.join("");
        let from = 0;
        for (const to of [...cuts, whole.length].filter((cut) => cut <= whole.length).sort((a, b) => a - b)) {
          cutAnswer.content(whole.slice(from, to));
          from = to;
        }
        cutAnswer.flush();
        const said = passed.map(([, text]) => text).join("");
        assert.deepEqual([said, cutAnswer.given(true).text], [whole, whole]);
        for (const [, piece] of passed) assert.doesNotThrow(() => encodeURIComponent(piece));
      }),
    );
  });
});
