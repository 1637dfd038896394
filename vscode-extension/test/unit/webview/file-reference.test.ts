import assert from "node:assert/strict";
import { fileReference, findFileReferences, linkedFile } from "../../../webview/chat/markdown/file-reference.js";

describe("file references", () => {
  for (const [text, expected] of [
    ["src/a.ts", { path: "src/a.ts" }],
    ["src/a.ts:12", { path: "src/a.ts", line: 12 }],
    ["src/a.ts:12:4", { path: "src/a.ts", line: 12 }],
    ["a.ts:7", { path: "a.ts", line: 7 }],
    ["/abs/b.rs#L3-L9", { path: "/abs/b.rs", line: 3 }],
    ["C:\\code\\c.cs:5", { path: "C:\\code\\c.cs", line: 5 }],
    ["./.github/workflows/ci.yml", { path: "./.github/workflows/ci.yml" }],
    ["console.log", undefined],
    ["and/or", undefined],
    ["https://example.com/a.ts", undefined],
    ["1.5", undefined],
  ] as const) {
    it(`${expected ? "finds a file in" : "finds none in"} ${text}`, () => {
      assert.deepEqual(fileReference(text), expected);
    });
  }

  it("finds files in running text, without the punctuation around them", () => {
    const text = "Look at (src/a.ts:3), lib/b.py. Not at https://x.org/y.html or and/or.";
    assert.deepEqual(
      findFileReferences(text).map(({ start, end }) => text.slice(start, end)),
      ["src/a.ts:3", "lib/b.py"],
    );
  });

  // Of these, the longer ones took hours when every character began a search of its own.
  for (const [name, text] of [
    ["plus signs", "+".repeat(2_000_000)],
    ["lines of plus signs", `${"+".repeat(200)}\n`.repeat(10_000)],
    ["lines that could be names", `${"+".repeat(200)}.a-\n`.repeat(500)],
    ["dots", "+.".repeat(1_000_000)],
    ["folders", "+/".repeat(1_000_000)],
    ["backslashes", "a\\".repeat(1_000_000)],
  ] as const) {
    it(`finds a file behind a flood of ${name}`, () => {
      const found = findFileReferences(`${text} src/a.ts:3`);
      assert.deepEqual(found.at(-1)?.reference, { path: "src/a.ts", line: 3 });
    });
  }

  it("does not take other schemes or anchors for files", () => {
    assert.deepEqual(["command:x", "javascript:x", "#part", "vscode:extension/x", "mailto:a@b.c"].map(linkedFile), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("decodes what links encode", () => {
    assert.deepEqual(linkedFile("file:///w/a%20b.ts#L2"), { path: "/w/a b.ts", line: 2 });
  });
});
