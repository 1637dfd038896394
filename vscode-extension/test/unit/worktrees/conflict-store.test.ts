import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConflictStore } from "../../../src/features/worktrees/conflict-store.js";

describe("the store of a merge's conflicts", () => {
  let folder: string;
  const conflict = {
    ...{ path: "/shop/cart.ts", theirFile: "/shop.worktrees/fix/cart.ts", name: "fix", tabId: "tab" },
    ...{ start: 1, ours: "mine\n", theirs: null, isWhole: false, found: "one\nmine\n" },
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium conflicts "));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("gives the next window what was not answered, and leaves no file when all was", async () => {
    const file = join(folder, "conflicts.json");
    const store = new ConflictStore(file, assert.ifError);
    store.save(() => [{ ...conflict, id: 7 }]);
    await store.flush();
    assert.deepEqual(await new ConflictStore(file, assert.ifError).load(), [conflict]);
    store.save(() => []);
    await store.flush();
    assert.deepEqual([await store.load(), await readdir(folder)], [[], []]);
  });

  it("keeps aside what it cannot understand", async () => {
    const file = join(folder, "conflicts.json");
    const problems: string[] = [];
    const later = '{"version":2,"conflicts":[{"path":3}]}';
    await writeFile(file, later);
    const store = new ConflictStore(file, (error) => problems.push(String(error)));
    assert.deepEqual(await store.load(), []);
    store.save(() => []);
    await store.flush();
    const [kept = ""] = await readdir(folder);
    assert.match(kept, /^conflicts\.json\.broken-\d+$/);
    assert.equal(await readFile(join(folder, kept), "utf8"), later);
    assert.deepEqual(problems, [`Error: ${file} couldn't be read and was moved to ${join(folder, kept)}.`]);
  });

  it("does not take a file that it cannot read for none", async () => {
    const file = join(folder, "conflicts.json");
    // As one that is busy: it is there, and reading it fails.
    await mkdir(file);
    await assert.rejects(new ConflictStore(file, assert.ifError).load(), { code: "EISDIR" });
    assert.deepEqual(await readdir(folder), ["conflicts.json"]);
  });
});
