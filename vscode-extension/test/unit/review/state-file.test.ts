import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StateFile } from "../../../src/features/review/files/state-file.js";

describe("a file with the latest state", () => {
  let folder: string;
  let file: string;
  let problems: unknown[];
  let latest: StateFile<string>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium latest "));
    file = join(folder, "state.json");
    problems = [];
    latest = new StateFile(
      file,
      (problem) => problems.push(problem),
      (state) => state,
    );
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("has what was saved last when all who wait for it go on, also where more came while it was written", async () => {
    latest.save(() => {
      latest.save(() => "second");
      return "first";
    });
    const flushes = [latest.flush(), latest.flush()];
    await flushes[0];
    assert.equal(await readFile(file, "utf8"), "second");
    latest.save(() => "third");
    await Promise.all([...flushes, latest.flush()]);
    assert.equal(await readFile(file, "utf8"), "third");
  });

  it("is written after a state that could not be told, which is told", async () => {
    latest.save(() => {
      throw new Error("no state");
    });
    await latest.flush();
    latest.save(() => "state");
    await latest.flush();
    assert.deepEqual([await readFile(file, "utf8"), problems.map(String)], ["state", ["Error: no state"]]);
  });

  it("is tried once more, when somebody waits for it, where it could not be written", async () => {
    await mkdir(file);
    latest.save(() => "state");
    await latest.flush();
    assert.equal(problems.length, 1);
    await rmdir(file);
    await latest.flush();
    assert.deepEqual([await readFile(file, "utf8"), problems.length], ["state", 1]);
  });
});
