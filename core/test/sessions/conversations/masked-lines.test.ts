import assert from "node:assert/strict";
import fc from "fast-check";
import { KnownSecrets } from "../../../src/base/secrets/known-secrets.js";
import { maskedLines } from "../../../src/sessions/conversations/masked-lines.js";
import { LineBatch, type SessionEntry, SessionLines } from "../../../src/sessions/conversations/session-lines.js";

const token = "ghp_Zq7AbCdEfGhIjKlMnOpQrStUv";
const words = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "word ",
    "a\nb",
    '"',
    "\\",
    "Zq7-known-secret",
    token,
    `x${token}`,
    token.slice(0, 9),
    token.slice(9),
  ),
  fc.constantFrom("Authorization: Bearer ", "Zq7.abcdefgh", "docker login -p ", "DB_PASSWORD=Zq7pw12 ", '"text":"'),
);
const kinds = ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "tool_call_update"];
const update = fc
  .tuple(fc.constantFrom(...kinds), words, fc.option(words), fc.constantFrom("s", token), fc.boolean())
  .map(([sessionUpdate, text, note, sessionId, isFirst]) => {
    const content = isFirst ? { text, note } : { note, text };
    return {
      kind: "update",
      at: 1,
      params: JSON.stringify({ sessionId, update: { sessionUpdate, content } }),
    } as const;
  });
const entry: fc.Arbitrary<SessionEntry> = fc.oneof(
  { weight: 5, arbitrary: update },
  words.map((text) => ({ kind: "prompt", at: 2, blocks: JSON.stringify([{ type: "text", text }]) }) as const),
  fc.constant({ kind: "end", at: 3, answer: '{"stopReason":"end_turn"}', agent: "a" }),
);

describe("maskedLines", () => {
  it("masks a batch as it masks each line alone", () => {
    const secrets = new KnownSecrets();
    secrets.learn({ API_TOKEN: "Zq7-known-secret" });
    const mask = (text: string): string => secrets.mask(text);
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), (entries) => {
        const [batched, alone] = [new SessionLines(), new SessionLines()];
        const batch = new LineBatch();
        for (const one of entries) batched.addTo(batch, one);
        const lines = entries.flatMap((one) => alone.of(one).split(/(?<=\n)/));
        assert.equal(batch.lines, lines.join(""));
        const expected = lines.map((line) => maskedLines(line, mask)).join("");
        assert.equal(maskedLines(batch.lines, mask, batch.searched), expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("searches the words of streamed updates, and once what precedes them", () => {
    const lines = new SessionLines();
    const batch = new LineBatch();
    const params = (text: string): string =>
      JSON.stringify({ sessionId: "s", update: { sessionUpdate: "agent_thought_chunk", content: { text } } });
    for (const text of ["one", "two"]) lines.addTo(batch, { kind: "update", at: 1, params: params(text) });
    assert.equal(batch.searched, `{"at":1,"update":${params("one")}}\n"text":"two"}}}\n`);
  });
});
