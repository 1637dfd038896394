import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageLimit } from "../../../src/acp/message-limit.js";

describe("the panel's message limit", () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "symposium limit "))));
  afterEach(() => rm(folder, { recursive: true }));

  it("is the setting that its error names, read at each start", async () => {
    assert.equal(messageLimit(folder), 268_435_456);
    for (const bytes of [1_000, 400_000_000]) {
      await writeFile(join(folder, "config.jsonc"), `{ "maxMessageBytes": ${bytes}, }`);
      assert.equal(messageLimit(folder), bytes);
    }
  });

  it("is the default for a broken file", async () => {
    await writeFile(join(folder, "config.jsonc"), "{ broken");
    assert.equal(messageLimit(folder), 268_435_456);
  });
});
