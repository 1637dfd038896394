import assert from "node:assert/strict";
import fc from "fast-check";
import { OutputTail } from "../../../src/features/terminals/live-output.js";

describe("OutputTail", () => {
  it("is the longest end of whole characters within the limit, however the text came", () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom("a", "ä", "€", "😀", "\n"), maxLength: 8 }));
    fc.assert(
      fc.property(parts, fc.nat(20), (texts, limit) => {
        const tail = new OutputTail(limit);
        for (const text of texts) tail.push(text);
        const whole = texts.join("");
        const characters = Array.from(whole);
        while (Buffer.byteLength(characters.join("")) > limit) characters.shift();
        const output = characters.join("");
        assert.deepEqual(tail.value, { output, truncated: output.length < whole.length });
      }),
    );
  });

  it("forgets what is far behind the limit", () => {
    const tail = new OutputTail(10);
    for (let index = 0; index < 1_000; index++) tail.push("x".repeat(20_000));
    assert.deepEqual(tail.value, { output: "x".repeat(10), truncated: true });
  });
});
