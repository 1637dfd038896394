import assert from "node:assert/strict";
import { createRunLog } from "../../../src/extensions/runs/node/run-log.js";

describe("createRunLog", () => {
  it("gives all of its text back in pages of whole lines, and long lines in whole characters", async () => {
    await using log = await createRunLog();
    const text = `first\nsecond ${"ä€😀".repeat(40)}\nlast`;
    for (const part of text.match(/[^]{1,5}/gu) ?? []) log.append(part);
    let read = "";
    let offset = 0;
    for (let pages = 0; offset < Buffer.byteLength(text) && pages < 100; pages++) {
      const page = await log.read(offset, 16);
      assert.equal(page.start, offset);
      read += page.text;
      offset = page.end;
    }
    assert.equal(read, text);
  });

  it("starts at the next whole character when an offset lies within one", async () => {
    await using log = await createRunLog();
    log.append("€uro");
    assert.deepEqual(await log.read(1, 100), { text: "uro", start: 3, end: 6, size: 6 });
  });

  it("has nothing beyond its end", async () => {
    await using log = await createRunLog();
    log.append("abc");
    assert.deepEqual(await log.read(10, 5), { text: "", start: 3, end: 3, size: 3 });
  });
});
