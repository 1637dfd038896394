import assert from "node:assert/strict";
import fc from "fast-check";
import type { AnswerSink } from "../../src/models/answer-sink.js";
import { CutAnswer } from "../../src/models/cut-answer.js";

describe("an answer that ends before a stop sequence", () => {
  let heard: string[];
  const sink: AnswerSink = {
    content: (text) => void heard.push(text),
    reasoning: (text) => void heard.push(`(${text})`),
    toolCall: ({ name }) => void heard.push(`[${name}]`),
  };
  const call = { id: "call_1", name: "shout", args: {} };
  beforeEach(() => {
    heard = [];
  });

  it("goes on as it comes, but for what may begin a sequence", () => {
    const answer = new CutAnswer(sink, ["END", "\n\n"]);
    for (const piece of ["One\n", "two E", "NDLESS", " EN"]) answer.content(piece);
    assert.deepEqual(heard, ["One", "\ntwo "]);
  });

  it("ends before the first sequence, however it is cut into pieces, and says so", async () => {
    const answer = new CutAnswer(sink, ["END", "STOP"]);
    for (const piece of ["One E", "N", "D and STOP", "more"]) answer.content(piece);
    answer.reasoning("Hm");
    answer.toolCall(call);
    answer.flush();
    assert.deepEqual([await answer.cut, heard], ["cut", ["One "]]);
  });

  it("keeps nothing back before a call and at its end", () => {
    const answer = new CutAnswer(sink, ["END"]);
    answer.content("One E");
    answer.reasoning("Hm");
    answer.toolCall(call);
    answer.content("Two EN");
    answer.flush();
    assert.deepEqual(heard, ["One ", "(Hm)", "E", "[shout]", "Two ", "EN"]);
  });

  it("is the text up to the sequence, for all texts in all pieces", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 12 }), letters, (pieces, sequence) => {
        heard = [];
        const answer = new CutAnswer(sink, [sequence]);
        for (const piece of pieces) answer.content(piece);
        answer.flush();
        assert.equal(heard.join(""), pieces.join("").split(sequence)[0]);
      }),
    );
  });
});
