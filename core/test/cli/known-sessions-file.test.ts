import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../src/base/logger.js";
import type { KnownSession } from "../../src/chains/known-sessions.js";
import { KnownSessionsFile } from "../../src/cli/known-sessions-file.js";

describe("KnownSessionsFile", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-sessions-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (): KnownSessionsFile =>
    new KnownSessionsFile(new Logger(() => undefined), join(folder, "sessions.json"));

  it("knows none where there is no file", async () => {
    assert.deepEqual(await open().read(), []);
  });

  it("keeps what another process has written meanwhile", async () => {
    const [one, other] = [open(), open()];
    one.write([["a", "1", "eliza"]]);
    await one.flushed();
    other.write([["b", "2", "eliza"]]);
    await other.flushed();
    one.write([
      ["a", "3", "eliza"],
      ["c", "4", "eliza"],
    ]);
    await one.flushed();
    assert.deepEqual(await open().read(), [
      ["b", "2", "eliza"],
      ["a", "3", "eliza"],
      ["c", "4", "eliza"],
    ]);
  });

  it("keeps a bounded number, the latest ones", async () => {
    const many = Array.from({ length: 499 }, (_, index): KnownSession => [`other-${index}`, `${index}`, "eliza"]);
    const [one, other] = [open(), open()];
    other.write(many);
    await other.flushed();
    one.write([
      ["a", "1", "eliza"],
      ["b", "2", "eliza"],
    ]);
    await one.flushed();
    const kept = await open().read();
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [500, ["other-1", "1", "eliza"], ["b", "2", "eliza"]]);
  });
});
