import assert from "node:assert/strict";
import fc from "fast-check";
import type { TraceEvent } from "../../../src/sessions/trace/trace-event.js";
import { TraceWriter } from "../../../src/sessions/trace/trace-writer.js";

interface Line {
  readonly type: string;
  readonly from?: string;
  readonly method?: string;
  readonly params?: { readonly update?: { readonly content?: { readonly text?: string } } };
}

function setUp() {
  const lines: Line[] = [];
  const writer = new TraceWriter({
    writeLine: (line) => lines.push(JSON.parse(line) as Line),
    nowMs: () => 5,
    started: new Date(0),
  });
  const textOf = (from: string): string =>
    lines
      .filter((line) => line.from === from)
      .map(({ params }) => params?.update?.content?.text ?? "")
      .join("");
  return { lines, writer, textOf };
}

function chunk(text: string, from = "Agent", kind = "agent_message_chunk"): TraceEvent {
  const update = { sessionUpdate: kind, content: { type: "text", text } };
  const hop = { protocol: "acp", from, to: "Client", session: "s" } as const;
  return { type: "notification", ts: 0, ...hop, method: "session/update", params: { sessionId: "s", update } };
}

function other(from: string, to: string): TraceEvent {
  return { type: "request", ts: 0, protocol: "acp", from, to, session: "s", id: 1, method: "m", params: null };
}

const known = "Zq7-known-value";
const secrets = [known, "ghp_Zq7aaaaaaaaaaaaaaaaaaaaa", "PGPASSWORD=Zq7hunter", "Authorization: Token Zq7abcdef123"];
const pem = "-----BEGIN PRIVATE KEY-----\nZq7AAAA\nZq7BBBB\n-----END PRIVATE KEY-----\n";

/** `text` in pieces. */
const piecesOf = (text: string) =>
  fc.array(fc.integer({ min: 1, max: text.length }), { maxLength: 12 }).map((cuts) => {
    const places = [...new Set([0, ...cuts, text.length])].sort((a, b) => a - b);
    return places.slice(1).map((end, index) => text.slice(places[index], end));
  });

describe("ChunkGate", () => {
  it("lets no credential through, in whatever pieces it streams over however many hops", () => {
    const text = fc.constantFrom(...secrets, pem).map((secret) => `I read ${secret} there\nand ${known}.`);
    fc.assert(
      fc.property(text.chain(piecesOf), (pieces) => {
        const { lines, writer, textOf } = setUp();
        writer.secrets.learn({ OUR_TOKEN: known });
        for (const piece of pieces) for (const from of ["Agent", "proxy"]) writer.record(chunk(piece, from));
        writer.end();
        assert.doesNotMatch(textOf("Agent") + textOf("proxy"), /Zq7|7[AB]{2}/);
        assert.match(textOf("Agent"), /^I read .*and \[redacted\]\.$/s);
        assert.equal(lines.length, 1 + 2 * pieces.length);
      }),
      { numRuns: 300 },
    );
  });

  it("sees a credential whose every letter is a piece", () => {
    const { writer, textOf } = setUp();
    writer.secrets.learn({ OUR_TOKEN: known });
    for (const letter of `a ${known} b`) writer.record(chunk(letter));
    writer.end();
    assert.equal(textOf("Agent"), "a [redacted] b");
  });

  it("leaves texts without credentials in their pieces", () => {
    const { lines, writer } = setUp();
    for (const piece of ["some ", "ordinary\nwo", "rds"]) writer.record(chunk(piece));
    writer.end();
    assert.deepEqual(
      lines.slice(1).map(({ params }) => params?.update?.content?.text),
      ["some ", "ordinary\nwo", "rds"],
    );
  });

  it("keeps the order of events, and holds them no longer than a line or the next message of the session", () => {
    const { lines, writer } = setUp();
    const written = (): number => lines.length;
    writer.record(chunk("a line"));
    assert.equal(written(), 0);
    writer.record(chunk(" ends\n"));
    assert.equal(written(), 3);
    writer.record(chunk("thought", "Agent", "agent_thought_chunk"));
    writer.record(other("mcp", "proxy"));
    assert.equal(written(), 3);
    writer.record(chunk("answer"));
    assert.equal(written(), 5);
    writer.record(other("Client", "Agent"));
    assert.deepEqual(
      lines.slice(1).map(({ params, method }) => params?.update?.content?.text ?? method),
      ["a line", " ends\n", "thought", "m", "answer", "m"],
    );
  });

  it("holds no more than some hundred events, and 16 Ki characters of a text", () => {
    const { lines, writer } = setUp();
    writer.record(chunk("never ends"));
    for (let count = 0; count < 300; count++) writer.record(other("mcp", "proxy"));
    assert.ok(lines.length > 1);
    writer.end();
    const before = lines.length;
    for (let count = 0; count < 20; count++) writer.record(chunk("x".repeat(1_000)));
    assert.ok(lines.length > before);
  });

  it("says that a text is lost where it cannot be redacted, and goes on", () => {
    const lines: string[] = [];
    const findSecrets = (): never => {
      throw new Error("rules fail");
    };
    const writer = new TraceWriter({
      writeLine: (line) => lines.push(line),
      nowMs: () => 5,
      started: new Date(0),
      findSecrets,
    });
    for (const piece of ["a", "b"]) writer.record(chunk(piece));
    writer.end();
    assert.equal(lines.length, 3);
    assert.match(lines.join(""), /not recorded: rules fail/);
  });
});
