import assert from "node:assert/strict";
import fc from "fast-check";
import { OwnLines } from "../../../../src/sessions/host/node/split-host-lines.js";

describe("the host's own lines", () => {
  it("are taken out of the messages, however the bytes are cut", () => {
    const line = fc.record({ isOwn: fc.boolean(), text: fc.string({ unit: fc.constantFrom("a", "é", "{", "😀") }) });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(40)), (lines, cuts) => {
        const passed: Buffer[] = [];
        const heard: string[] = [];
        const taken = new OwnLines({ pass: (chunk) => passed.push(chunk), hear: (text) => heard.push(text) });
        let rest = Buffer.from(lines.map(({ isOwn, text }) => `${isOwn ? "\0" : ""}${text}\n`).join(""));
        for (const cut of cuts) {
          taken.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        taken.push(rest);
        const own = lines.filter(({ isOwn }) => isOwn).map(({ text }) => text);
        const others = lines.filter(({ isOwn }) => !isOwn).map(({ text }) => `${text}\n`);
        assert.deepEqual([heard, Buffer.concat(passed).toString()], [own, others.join("")]);
      }),
    );
  });
});
