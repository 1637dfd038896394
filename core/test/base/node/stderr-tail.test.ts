import assert from "node:assert/strict";
import { StderrTail } from "../../../src/base/node/stderr-tail.js";

describe("StderrTail", () => {
  it("keeps the last 40 lines", () => {
    const tail = new StderrTail();
    for (let i = 1; i <= 100; i++) tail.push(`line ${i}\n`);
    const lines = tail.text.split("\n");
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [40, "line 61", "line 100"]);
  });

  it("keeps at most 64 Ki characters, also of endless lines", () => {
    const tail = new StderrTail();
    for (let i = 0; i < 100; i++) tail.push("x".repeat(10_000) + "\n");
    tail.push("y".repeat(1_000_000));
    tail.end();
    assert.ok(tail.text.length <= 64 * 1024);
    assert.ok(tail.text.endsWith("yyy"));
  });

  it("drops escapes and masks credentials, in the text and in what it hands on", () => {
    const lines: string[] = [];
    const tail = new StderrTail((line) => lines.push(line));
    tail.push("\u001b[31mERROR\u001b[0m api_key=abc\r\nlast");
    tail.end();
    assert.equal(tail.text, "ERROR api_key=[redacted]\nlast");
    assert.deepEqual(lines, ["ERROR api_key=[redacted]", "last"]);
  });

  it("keeps no line of a private key, also of one longer than what is kept", () => {
    const lines: string[] = [];
    const tail = new StderrTail((line) => lines.push(line));
    tail.push(
      `before\n-----BEGIN RSA PRIVATE KEY-----\n${"Zq7AAAA\n".repeat(60)}-----END RSA PRIVATE KEY-----\nafter\n`,
    );
    tail.end();
    const kept = ["before", "-----BEGIN RSA PRIVATE KEY-----[redacted]", "-----END RSA PRIVATE KEY-----", "after"];
    assert.deepEqual([lines, tail.text.includes("Zq7")], [kept, false]);
  });

  it("hands on what follows a private key that does not end", () => {
    const lines: string[] = [];
    const tail = new StderrTail((line) => lines.push(line));
    tail.push(`-----BEGIN PRIVATE KEY-----\n${"AAAA\n".repeat(200)}later\n`);
    tail.end();
    assert.deepEqual(lines, ["-----BEGIN PRIVATE KEY-----[redacted]", "later"]);
  });
});
