import assert from "node:assert/strict";
import { blockLength, charactersOf, type TextBlock, TextQueue } from "../../../src/base/node/text-queue.js";

const textOf = (taken: TextBlock | string): string =>
  typeof taken === "string" ? taken : taken.bytes.toString("utf8", 0, taken.length);

/** Takes everything, and gives every block back before the next is taken. */
function drain(queue: TextQueue): string[] {
  const texts: string[] = [];
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
    texts.push(textOf(taken));
    if (typeof taken === "object") queue.release(taken);
  }
  return texts;
}

/** Pushes `count` numbered lines; returns the text that they are. */
function fill(queue: TextQueue, count: number, content: string): string {
  const lines = Array.from({ length: count }, (_, index) => `${index} ${content}`);
  for (const line of lines) queue.push(line);
  return lines.map((line) => `${line}\n`).join("");
}

describe("TextQueue", () => {
  it("gives a few short lines as the string that they are, and nothing when nothing waits", () => {
    const queue = new TextQueue(4);
    queue.push("a");
    queue.push("b");
    assert.deepEqual(drain(queue), ["a\nb\n"]);
    assert.equal(queue.take(), undefined);
  });

  for (const [what, content] of [
    ["characters of one byte", "x".repeat(97)],
    ["characters of three bytes", "\u4e2d".repeat(97)],
    ["characters of two UTF-16 units", "\u{1f600}".repeat(97)],
    ["lines longer than a block", "y\u00e9".repeat(blockLength)],
    ["lines of many blocks with pairs across every boundary", `z${"\u{1f600}".repeat(3 * blockLength)}`],
  ] as const) {
    it(`keeps every line and the order: ${what}`, () => {
      const queue = new TextQueue(4);
      for (let round = 0; round < 2; round++) {
        const expected = fill(queue, content.length > 1_000 ? 5 : 5_000, content);
        assert.ok(drain(queue).join("") === expected);
      }
    });
  }

  it("keeps the order when short lines follow a long one, and more come while it is taken", () => {
    const queue = new TextQueue(4);
    const long = "l".repeat(5 * blockLength);
    queue.push(long);
    queue.push("next");
    const first = queue.take();
    assert.ok(first !== undefined);
    const start = textOf(first);
    const rest = fill(queue, 2_000, "later");
    assert.ok(start + drain(queue).join("") === `${long}\nnext\n${rest}`);
  });

  it("breaks no pair that starts at the end of a block", () => {
    const queue = new TextQueue(4);
    for (let room = 0; room < 6; room++) {
      const line = `${"x".repeat(blockLength - room)}${"\u{1f600}".repeat(10)}`;
      queue.push(line);
      assert.ok(drain(queue).join("") === `${line}\n`);
      queue.push(line + line + line);
      assert.ok(drain(queue).join("") === `${line}${line}${line}\n`);
    }
  });

  it("fills its blocks: what waits takes hardly more room than its bytes", () => {
    const queue = new TextQueue(0);
    const text = fill(queue, 10_000, "x".repeat(100));
    assert.ok(drain(queue).length <= Math.ceil(text.length / blockLength) + 1);
  });

  it("counts what waits, down to nothing", () => {
    const queue = new TextQueue(4);
    let left = fill(queue, 3_000, "\u00e9".repeat(50)).length + 3 * blockLength + 1;
    queue.push("x".repeat(3 * blockLength));
    assert.equal(queue.characters, left);
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
      left -= charactersOf(taken);
      assert.equal(queue.characters, left);
    }
    assert.equal(left, 0);
  });

  it("uses a block that was given back again, and never one that was not", () => {
    const queue = new TextQueue(4);
    const take = (): TextBlock => {
      fill(queue, 200, "x".repeat(100));
      const taken = queue.take();
      assert.ok(typeof taken === "object");
      queue.clear();
      return taken;
    };
    const first = take();
    const second = take();
    assert.notEqual(first.bytes, second.bytes);
    queue.release(second);
    fill(queue, 200, "y".repeat(100));
    const third = queue.take();
    assert.ok(typeof third === "object");
    assert.equal(third.bytes, second.bytes);
    assert.ok(textOf(third).startsWith("0 yyy"));
    assert.ok(textOf(first).startsWith("0 xxx"));
  });

  it("writes U+FFFD for half a character, as Node does", () => {
    const queue = new TextQueue(4);
    const line = "\ud83d".repeat(20_000);
    queue.push(line);
    assert.ok(drain(queue).join("") === `${"\ufffd".repeat(20_000)}\n`);
  });
});
