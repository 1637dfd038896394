import assert from "node:assert/strict";
import fc from "fast-check";
import { FrameSplitter } from "../../src/connection/server-reader.js";

/** What is found in `bytes`, when they come in pieces of `size` bytes. */
function split(bytes: Buffer, size = bytes.length, maxBodyLength?: number): { messages: object[]; stray: number } {
  const found = { messages: [] as object[], stray: 0 };
  const splitter = new FrameSplitter(
    { message: (value) => found.messages.push(value), stray: (length) => (found.stray += length) },
    maxBodyLength,
  );
  for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
  return found;
}

function frame(value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

const text = (value: string): Buffer => Buffer.from(value);

describe("a stream of LSP messages", () => {
  it("is cut into its messages however the bytes arrive", () => {
    const values = fc.array(
      fc.record({ id: fc.nat(), text: fc.string({ unit: "grapheme" }) }, { noNullPrototype: true }),
    );
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 50 }), (messages, size) => {
        const bytes = Buffer.concat(messages.map(frame));
        if (bytes.length > 0) assert.deepEqual(split(bytes, size), { messages, stray: 0 });
      }),
    );
  });

  it("survives lines that a program prints between messages", () => {
    const bytes = Buffer.concat([
      text("Starting...\n"),
      frame({ id: 1 }),
      text("warning: slow\r\n\r\n"),
      frame({ id: 2 }),
    ]);
    for (const size of [1, 7, bytes.length])
      assert.deepEqual(split(bytes, size), { messages: [{ id: 1 }, { id: 2 }], stray: 29 });
  });

  it("goes on after a line that was printed into a message", () => {
    const [whole, next] = [frame({ id: 1, text: "long enough" }), frame({ id: 2 })];
    const broken = Buffer.concat([whole.subarray(0, 30), text("oops\n"), whole.subarray(30)]);
    assert.deepEqual(split(Buffer.concat([broken, next])).messages, [{ id: 2 }]);
  });

  it("accepts other headers after the length, and any case", () => {
    const bytes = text("content-length: 8\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n" + '{"id":1}');
    assert.deepEqual(split(bytes, 3), { messages: [{ id: 1 }], stray: 0 });
  });

  it("does not wait for the body of a header that is none", () => {
    const bytes = Buffer.concat([text("Content-Length: 999999\r\n\r\nnot a body\n"), frame({ id: 1 })]);
    assert.deepEqual(split(bytes).messages, [{ id: 1 }]);
  });

  it("drops a message that is longer than it may be, and keeps the next", () => {
    const bytes = Buffer.concat([frame({ text: "x".repeat(200) }), frame({ id: 1 })]);
    assert.deepEqual(split(bytes, 16, 100).messages, [{ id: 1 }]);
  });

  it("counts every byte of garbage and keeps none of it", () => {
    const { messages, stray } = split(Buffer.alloc(1_000_000, "x"), 4096);
    assert.deepEqual({ messages, isNearlyAll: stray > 999_900 }, { messages: [], isNearlyAll: true });
  });
});
