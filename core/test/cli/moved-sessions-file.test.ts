import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../src/base/logger.js";
import type { MovedSession } from "../../src/chains/moved-sessions.js";
import { MovedSessionsFile } from "../../src/cli/moved-sessions-file.js";

describe("MovedSessionsFile", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-moved-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (): MovedSessionsFile =>
    new MovedSessionsFile(new Logger(() => undefined), join(folder, "moved-sessions.json"));

  it("knows none where there is no file", async () => {
    assert.deepEqual(await open().read(), []);
  });

  it("keeps what another process has written meanwhile", async () => {
    const [one, other] = [open(), open()];
    one.write([["a", "1"]]);
    await one.flushed();
    other.write([["b", "2"]]);
    await other.flushed();
    one.write([
      ["a", "3"],
      ["c", "4"],
    ]);
    await one.flushed();
    assert.deepEqual(await open().read(), [
      ["b", "2"],
      ["a", "3"],
      ["c", "4"],
    ]);
  });

  it("keeps a bounded number, the latest ones", async () => {
    const many = Array.from({ length: 499 }, (_, index): MovedSession => [`other-${index}`, `${index}`]);
    const [one, other] = [open(), open()];
    other.write(many);
    await other.flushed();
    one.write([
      ["a", "1"],
      ["b", "2"],
    ]);
    await one.flushed();
    const kept = await open().read();
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [500, ["other-1", "1"], ["b", "2"]]);
  });
});
