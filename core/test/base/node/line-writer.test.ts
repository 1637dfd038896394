import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { LineWriter } from "../../../src/base/node/line-writer.js";

/** A reader that takes a write only when told to. */
class ManualReader extends Writable {
  readonly writes: string[] = [];
  #taken: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    const at = this.writes.push(chunk.toString()) - 1;
    this.#taken = () => {
      this.#taken = undefined;
      // Read again: the bytes belong to the reader until here.
      this.writes[at] = chunk.toString();
      callback();
    };
  }

  take(): Promise<void> {
    this.#taken?.();
    return nextTurn();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("LineWriter", () => {
  it("writes the lines of one tick in one write", async () => {
    const reader = new ManualReader();
    const writer = new LineWriter(reader);
    for (const line of ["a", "b", "c"]) writer.send(line);
    await nextTurn();
    assert.deepEqual(reader.writes, ["a\nb\nc\n"]);
  });

  it("gathers everything sent while the reader is busy into the next write", async () => {
    const reader = new ManualReader();
    const writer = new LineWriter(reader);
    for (const line of ["a", "b", "c"]) {
      writer.send(line);
      await nextTurn();
    }
    await reader.take();
    assert.deepEqual(reader.writes, ["a\n", "b\nc\n"]);
  });

  it("is congested above the high-water mark until a quarter is left, and tells each change", async () => {
    const reader = new ManualReader();
    const writer = new LineWriter(reader, { highWaterMark: 8 });
    const states: boolean[] = [];
    writer.onCongestion(() => states.push(writer.isCongested));
    writer.send("1234");
    await nextTurn();
    writer.send("56789");
    assert.deepEqual(states, [true]);
    await reader.take();
    assert.deepEqual(states, [true]);
    await reader.take();
    assert.deepEqual(states, [true, false]);
  });

  it("writes a long line in pieces without breaking a character in two", async () => {
    const reader = new ManualReader();
    const writer = new LineWriter(reader);
    const line = "x" + "\u{1f600}".repeat(400_000);
    writer.send(line);
    writer.send("end");
    await nextTurn();
    while (writer.awaitsReader) await reader.take();
    assert.ok(reader.writes.length > 1);
    const bytes = Buffer.concat(reader.writes.map((text) => Buffer.from(text)));
    assert.ok(bytes.toString() === `${line}\nend\n`);
  });

  it("lets go of no bytes that the reader has not taken", async () => {
    const reader = new ManualReader();
    const writer = new LineWriter(reader);
    const lines = Array.from({ length: 400 }, (_, index) => String(index).repeat(1_000));
    for (const [index, line] of lines.entries()) {
      writer.send(line);
      if (index % 40 === 0) await reader.take();
    }
    while (writer.awaitsReader) await reader.take();
    assert.ok(reader.writes.join("") === lines.map((line) => `${line}\n`).join(""));
  });

  it("reports a reader that is gone once, drops what waits and is congested no more", async () => {
    const reader = new ManualReader();
    const reasons: string[] = [];
    const writer = new LineWriter(reader, { highWaterMark: 2, onBroken: (reason) => reasons.push(reason) });
    writer.send("abc");
    await nextTurn();
    writer.send("def");
    const flushed = writer.flushed();
    reader.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    await flushed;
    writer.send("ghi");
    await nextTurn();
    assert.deepEqual(
      { reasons, isCongested: writer.isCongested, writes: reader.writes },
      { reasons: ["EPIPE"], isCongested: false, writes: ["abc\n"] },
    );
  });

  it("ends the stream after everything queued, and takes nothing more", async () => {
    const reader = new ManualReader();
    const writer = new LineWriter(reader);
    writer.send("a");
    writer.end();
    writer.send("b");
    await nextTurn();
    assert.equal(reader.writableEnded, false);
    await reader.take();
    await writer.flushed();
    assert.deepEqual({ writes: reader.writes, hasEnded: reader.writableEnded }, { writes: ["a\n"], hasEnded: true });
  });
});
