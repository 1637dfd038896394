import assert from "node:assert/strict";
import fc from "fast-check";
import type { OversizeLine } from "../../../src/base/line-splitter.js";
import { LineSplitter } from "../../../src/base/line-splitter.js";
import { type Outcome, Request } from "../../../src/base/rpc/message.js";
import { later, wire } from "./connection-fixture.js";
import { jsonText, mutated } from "./json-text.js";

/** `[code, id]` of each line that answers garbage. */
function refusals(sent: readonly string[]): unknown[] {
  return sent.map((line) => {
    const { id, error } = JSON.parse(line) as { id: unknown; error?: { code: number } };
    return [error?.code, id];
  });
}

const garbage: readonly (readonly [line: string, code: number, id: unknown])[] = [
  ["not json", -32700, null],
  ['{"jsonrpc":"2.0","id":1,"method":"m"', -32700, null],
  ['{"jsonrpc":"2.0","id":1,"method":"m","params":{a}}', -32700, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"m\\x"}', -32700, 1],
  ['{"jsonrpc":"2.0","id":tru,"method":"m"}', -32700, null],
  ["17", -32600, null],
  ['"text"', -32600, null],
  ["null", -32600, null],
  ['[{"jsonrpc":"2.0","id":1,"method":"m"}]', -32600, null],
  ["{}", -32600, null],
  ['{"jsonrpc":"2.0","id":3}', -32600, 3],
  ['{"jsonrpc":"2.0","result":1}', -32600, null],
  ['{"jsonrpc":"1.0","id":4,"method":"m"}', -32600, 4],
  ['{"id":5,"method":"m"}', -32600, 5],
  ['{"jsonrpc":"2.0","id":6,"method":7}', -32600, 6],
  ['{"jsonrpc":"2.0","id":{"a":1},"method":"m"}', -32600, { a: 1 }],
  ['{"jsonrpc":"2.0","id":8,"method":"m","params":1}', -32600, 8],
];

describe("garbage on a Connection", () => {
  it("is answered where the other side must hear of it, and the connection goes on", () => {
    const { connection, inbound, sent } = wire({ m: 1 });
    for (const [line] of garbage) connection.receive(line);
    assert.deepEqual(
      refusals(sent),
      garbage.map(([, code, id]) => [code, id]),
    );
    connection.receive('{"jsonrpc":"2.0","id":9,"method":"m"}');
    assert.deepEqual([sent.at(-1), inbound.methods], ['{"jsonrpc":"2.0","id":9,"result":1}', ["m"]]);
  });

  it("is skipped and reported where a component prints it", () => {
    const { connection, sent, skipped } = wire({}, { answersGarbage: false });
    const lines = [
      "npm warn deprecated",
      "}{",
      '{"level":"info","msg":"m"}',
      "[1,2]",
      "null",
      '{"jsonrpc":"2.0","id":6,"method":7}',
      '{"jsonrpc":"2.0","id":"\\x","method":"m"}',
    ];
    for (const line of lines) connection.receive(line);
    assert.deepEqual([sent, skipped.length], [[], lines.length]);
  });

  it("of any kind is survived, and every request still gets one answer", () => {
    const message = fc.oneof(
      jsonText.map((params) => `{"jsonrpc":"2.0","id":"x","method":"other","params":${params}}`),
      jsonText.map((result) => `{"jsonrpc":"2.0","id":1,"result":${result}}`),
      fc.constant('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"x"}}'),
    );
    const line = fc.oneof(message.chain(mutated), message, fc.string({ unit: "binary" }), jsonText);
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), (lines, answersGarbage) => {
        const { connection, sent } = wire({ m: later, other: null }, { answersGarbage });
        let answers = 0;
        connection.request(new Request("a"), () => answers++);
        for (const [index, text] of lines.entries()) {
          connection.receive(text);
          connection.receive(`{"jsonrpc":"2.0","id":"ours-${index}","method":"unknown"}`);
        }
        const ids = sent.map((text) => (JSON.parse(text) as { id?: unknown }).id);
        for (const index of lines.keys()) assert.equal(ids.filter((id) => id === `ours-${index}`).length, 1);
        assert.ok(answers <= 1);
      }),
    );
  });
});

describe("a line over the limit on a Connection", () => {
  const limit = 200;
  const filler = "x".repeat(500);

  /** Pushes the lines through a splitter in pieces of `size` characters. */
  const receive = (
    lines: readonly string[],
    answersGarbage = true,
    size = 64,
  ): ReturnType<typeof wire> & { answers: Outcome[] } => {
    const it = wire({ m: null }, { answersGarbage });
    const answers: Outcome[] = [];
    it.connection.request(new Request("a"), (outcome) => answers.push(outcome));
    it.sent.length = 0;
    const splitter = new LineSplitter(
      {
        line: (line) => it.connection.receive(line),
        oversize: (line: OversizeLine) => it.connection.receiveOversize(line, limit),
      },
      limit,
    );
    const text = lines.map((line) => `${line}\n`).join("");
    for (let at = 0; at < text.length; at += size) splitter.push(text.slice(at, at + size));
    return { ...it, answers };
  };

  it("is answered when it is a request, wherever its id stands", () => {
    const { sent, skipped, inbound } = receive([
      `{"jsonrpc":"2.0","id":"front","method":"m","params":"${filler}"}`,
      `{"jsonrpc":"2.0","method":"m","params":"${filler}","id":"end"}`,
      `{"jsonrpc":"2.0","id":"\\x","method":"m","params":"${filler}"}`,
      '{"jsonrpc":"2.0","id":1,"method":"m"}',
    ]);
    assert.deepEqual(
      { refused: refusals(sent.slice(0, 3)), next: sent[3], skipped: skipped.length, received: inbound.methods },
      {
        refused: [
          [-32600, "front"],
          [-32600, "end"],
          [-32600, null],
        ],
        next: '{"jsonrpc":"2.0","id":1,"result":null}',
        skipped: 3,
        received: ["m"],
      },
    );
    assert.match(sent[0] ?? "", /a message of 5\d\d bytes exceeds the limit of 200\. Raise \\"maxMessageBytes\\"/);
  });

  for (const line of [
    `{"jsonrpc":"2.0","id":1,"result":"${filler}"}`,
    `{"result":"${filler}","id":1}`,
    `{"result":"${filler}","id":"1","jsonrpc":"2.0"}`,
  ]) {
    it(`fails the request that it answers: ${line.replace(filler, "…")}`, () => {
      for (let size = 1; size < 600; size += 7) {
        const { answers } = receive([line], false, size);
        assert.deepEqual(
          answers.map(({ isError, json }) => [isError, json.object?.["code"]]),
          [[true, -32600]],
        );
      }
    });
  }

  it("is told to our client with a null id when it is a notification, and to no component", () => {
    const line = `{"jsonrpc":"2.0","method":"n","params":{"id":3,"x":"${filler}"}}`;
    const fromComponent = receive([line], false);
    assert.deepEqual(
      [refusals(receive([line]).sent), fromComponent.sent, fromComponent.skipped.length],
      [[[-32600, null]], [], 1],
    );
  });
});
