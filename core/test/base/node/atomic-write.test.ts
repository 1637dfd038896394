import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atomicWrite } from "../../../src/base/node/atomic-write.js";

describe("writing a file at once", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "atomic-write-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("looks once more when the new content is ready, and changes nothing where that look says no", async () => {
    const file = join(folder, "file");
    await writeFile(file, "old");
    const beforeReplacing = async (): Promise<void> => {
      await writeFile(file, "of another program");
      throw new Error("It was changed.");
    };
    await assert.rejects(atomicWrite(file, "new", { beforeReplacing }), /It was changed/);
    assert.deepEqual([await readFile(file, "utf8"), await readdir(folder)], ["of another program", ["file"]]);
  });
});
