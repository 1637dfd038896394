import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeOldFiles } from "../../src/node/old-files.js";

describe("removeOldFiles", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-old-files-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(file: string, agedSeconds: number): Promise<void> {
    await writeFile(join(folder, file), "");
    const time = Date.now() / 1_000 - agedSeconds;
    await utimes(join(folder, file), time, time);
  }

  it("removes what nobody has written for so long, in every folder below, and nothing else", async () => {
    await mkdir(join(folder, "a", "b"), { recursive: true });
    await write("a/old", 120);
    await write("a/young", 30);
    await write("a/b/old", 120);
    await removeOldFiles(folder, 60_000);
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), ["a", join("a", "b"), join("a", "young")]);
  });

  it("leaves a folder that is not there as it is", async () => {
    await removeOldFiles(join(folder, "absent"), 0);
    assert.deepEqual(await readdir(folder), []);
  });
});
