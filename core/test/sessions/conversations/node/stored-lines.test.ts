import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf, windowsOf } from "../../../../src/sessions/conversations/node/stored-lines.js";

describe("the lines of a session's file", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "stored-lines-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("are whole, wherever a piece ends and however long they are", async () => {
    const file = join(root, "a.jsonl");
    const lengths = [3, 1_200_000, 0, 5, 3_000_000, 1_048_575, 1_048_576, 40, 700_000, 700_000];
    const lines = lengths.map((length, index) => JSON.stringify({ index, text: "é€𝄞".repeat(length / 9) }));
    const text = lines.map((line) => `${line}\n`).join("");
    for (const [end, more] of [
      ["", []],
      ['{"index":10}', ['{"index":10}']],
      ['{"index":10', []],
    ] as const) {
      await writeFile(file, text + end);
      const windows = [...windowsOf(file)];
      assert.ok(windows.every((window) => window.endsWith("\n")));
      const read = [...linesOf(file)];
      assert.equal(read.length, lines.length + more.length);
      assert.ok(read.join("\n") === [...lines, ...more].join("\n"));
    }
  });
});
