import assert from "node:assert/strict";
import fc from "fast-check";
import { Frame, FrameScanner } from "../../../src/base/rpc/frame.js";
import { idText, jsonText, type MemberText, mutated, nameString, objectText, stringText } from "./json-text.js";

type Member = "jsonrpc" | "id" | "method" | "params" | "result" | "error";
const names: readonly Member[] = ["jsonrpc", "id", "method", "params", "result", "error"];

function scan(text: string): Frame {
  const frame = Frame.scan(text);
  assert.ok(frame, `no frame: ${text}`);
  return frame;
}

/** The texts of the members that the frame has found. */
function found(frame: Frame): Partial<Record<Member, string>> {
  const { id, method, params, result, error, version } = frame;
  const spans = { jsonrpc: version, id, method, params, result, error };
  return Object.fromEntries(
    names.filter((name) => spans[name].isPresent).map((name) => [name, spans[name].of(frame.text)]),
  );
}

function parsed(frame: Frame): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(found(frame)).map(([name, text]): [string, unknown] => [name, JSON.parse(text)]),
  );
}

/** Those members of the object in `text` that routing needs, by the parser. */
function expected(text: string): Record<string, unknown> {
  const value = JSON.parse(text) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.some((known) => known === name)));
}

const member = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<MemberText> =>
  value.map((text) => ({ name, value: text }));
const methodText = stringText(fc.oneof(fc.string(), fc.constantFrom("session/new", 'a"b', "\\", "ünï")));
const unknown = nameString
  .filter((name) => !names.some((known) => known === name) && name !== "__proto__")
  .chain((name) => member(name, jsonText));
const message = fc.oneof(
  objectText([
    member("jsonrpc", fc.constant('"2.0"')),
    member("id", idText),
    member("method", methodText),
    member("params", jsonText),
    unknown,
  ]),
  objectText([member("id", idText), member("result", jsonText), unknown]),
  objectText([member("error", jsonText), member("id", idText)]),
  objectText([member("method", methodText), unknown, unknown]),
);

describe("Frame.scan", () => {
  it("finds in any message the members that a parser finds", () => {
    fc.assert(fc.property(message, (text) => assert.deepEqual(parsed(scan(text)), expected(text))));
  });

  it("keeps the text of the members as it is", () => {
    const text = '{"id": 1.0 ,"params":{"a" : 18446744073709551615},"extra":[ ],"method":"m\\u002fn"}';
    const frame = scan(text);
    assert.deepEqual(
      { ...found(frame), name: frame.methodName },
      { id: "1.0", params: '{"a" : 18446744073709551615}', method: '"m\\u002fn"', name: "m/n" },
    );
  });

  it("takes the last of members of equal name, as parsers do", () => {
    assert.deepEqual(found(scan('{"id":1,"\\u0069d":2,"id":3,"method":"a","method":"b"}')), { id: "3", method: '"b"' });
  });

  it("looks at the members of the message itself and at none below", () => {
    assert.deepEqual(found(scan('{"x":{"id":1,"method":"m"},"y":[{"result":2}],"ids":3}')), {});
  });

  it("finds nothing whole in a message that was cut off", () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        const whole = text.trimEnd();
        const cut = whole.slice(0, Math.floor(share * (whole.length - 1)));
        assert.equal(Frame.scan(cut), undefined);
      }),
    );
  });

  it("takes no text apart wrongly that a parser can read, and never throws on one that it cannot", () => {
    const text = message.chain((whole) => mutated(whole));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: "binary" }), jsonText), (line) => {
        const frame = Frame.scan(line);
        assert.doesNotThrow(() => frame?.methodName);
        let value: unknown;
        try {
          value = JSON.parse(line);
        } catch {
          return;
        }
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        assert.deepEqual(frame && parsed(frame), isObject ? expected(line) : undefined);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses what is not one object", () => {
    const lines = [
      "",
      " ",
      "1",
      '"a"',
      "null",
      "[]",
      '[{"id":1}]',
      "{",
      "}",
      '{"a":1}}',
      '{"a":1} {"b":2}',
      "{a:1}",
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{"a":1 2}',
    ];
    assert.deepEqual(
      lines.map((line) => Frame.scan(line)),
      lines.map(() => undefined),
    );
  });

  it("has no method name where the method is no string, or a string with an escape that JSON does not know", () => {
    const lines = ['{"id":1}', '{"method":1}', '{"method":{}}', '{"method":"a\\q"}', '{"method":"\\u12"}'];
    assert.deepEqual(
      lines.map((line) => scan(line).methodName),
      lines.map(() => undefined),
    );
  });
});

describe("FrameScanner", () => {
  const words = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "\\", '"', '\\"', '"text":"', "{", "}"));
  const spelled = stringText(words);
  const streamed = fc
    .tuple(spelled, spelled, fc.constantFrom(...["", " ", ',"id":1', ',"method":"b"']))
    .map(([text, other, end]) => {
      const update = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":${text}},"text":${other}}`;
      return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":${update}}${end}}`;
    });

  it("finds in each message what a scan of that message alone finds", () => {
    const line = fc.oneof(streamed, streamed, streamed.chain(mutated), message);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const scanner = new FrameScanner();
        const facts = (frame: Frame | undefined): unknown => frame && [frame.text, frame.methodName, found(frame)];
        for (const text of lines) assert.deepEqual(facts(scanner.scan(text)), facts(Frame.scan(text)));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("Frame.textWithId", () => {
  it("changes the id and not a character besides", () => {
    const withId = objectText([
      member("id", idText),
      member("method", methodText),
      member("params", jsonText),
      unknown,
    ]);
    fc.assert(
      fc.property(withId, idText, (text, id) => {
        const frame = scan(text);
        const { start, end } = frame.id;
        const next = frame.textWithId(id);
        assert.deepEqual(
          [next.slice(0, start), next.slice(start, start + id.length), next.slice(start + id.length)],
          [text.slice(0, start), id, text.slice(end)],
        );
      }),
    );
  });
});

describe("Frame.scanHead", () => {
  it("finds the members before the cut", () => {
    const frame = Frame.scanHead(
      '{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"prompt":[{"text":"lon',
    );
    assert.deepEqual(found(frame), { jsonrpc: '"2.0"', id: '"a"', method: '"session/prompt"' });
  });
});
