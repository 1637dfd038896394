import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isHosted, messageLimit } from "../../../src/acp/user-config.js";

describe("the panel's use of config.jsonc", () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "symposium limit "))));
  afterEach(() => rm(folder, { recursive: true }));

  it("limits messages by the setting that its error names, read at each start", async () => {
    assert.equal(messageLimit(folder), 268_435_456);
    for (const bytes of [1_000, 400_000_000]) {
      await writeFile(join(folder, "config.jsonc"), `{ "maxMessageBytes": ${bytes}, }`);
      assert.equal(messageLimit(folder), bytes);
    }
  });

  it("keeps the defaults for a broken file", async () => {
    await writeFile(join(folder, "config.jsonc"), "{ broken");
    assert.equal(messageLimit(folder), 268_435_456);
    assert.equal(isHosted("", folder), false);
  });

  it("runs sessions in the host if the editor's setting says so, or is empty and config.jsonc says so", async () => {
    const use = (): readonly boolean[] => (["", "off", "on"] as const).map((choice) => isHosted(choice, folder));
    assert.deepEqual(use(), [false, false, true]);
    await writeFile(join(folder, "config.jsonc"), `{ "host": "on" }`);
    assert.deepEqual(use(), [true, false, true]);
  });
});
