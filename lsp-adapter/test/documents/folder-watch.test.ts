import assert from "node:assert/strict";
import { mkdir, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { DiskTexts } from "../../src/documents/client-documents.js";
import { FolderWatch } from "../../src/documents/folder-watch.js";
import { TestFolder } from "../support/folders.js";
import { useTestScope } from "../support/test-scope.js";

describe("following a folder", () => {
  before(function () {
    // Elsewhere the system reports later, and the documents that are asked about are looked at instead.
    if (process.platform !== "linux") this.skip();
  });
  const scope = useTestScope();

  async function open(
    files: Readonly<Record<string, string>>,
  ): Promise<{ folder: TestFolder; changes: () => Promise<readonly string[]> }> {
    const folder = scope().use(await TestFolder.create(files));
    const watch = scope().use(new FolderWatch(folder.path));
    const changes = async (): Promise<readonly string[]> =>
      (await watch.takeChanges()).map(({ path, type }) => `${type} ${relative(folder.path, path)}`).sort();
    return { folder, changes };
  }

  it("tells every write that ended before the question, each file once", async () => {
    const { folder, changes } = await open({ "a.ts": "a", "sub/b.ts": "b" });
    const none = await changes();
    await folder.write("a.ts", "aa");
    await folder.write("a.ts", "aaa");
    await folder.write("sub/b.ts", "bb");
    await folder.write("c.ts", "c");
    assert.deepEqual([none, await changes(), await changes()], [[], ["1 c.ts", "2 a.ts", "2 sub/b.ts"], []]);
  });

  it("tells files that were replaced, removed, and moved with their folder", async () => {
    const { folder, changes } = await open({ "a.ts": "a", "b.ts": "b", "sub/c.ts": "c" });
    await folder.write("a.ts.tmp", "new");
    await rename(join(folder.path, "a.ts.tmp"), join(folder.path, "a.ts"));
    await rm(join(folder.path, "b.ts"));
    await rename(join(folder.path, "sub"), join(folder.path, "moved"));
    assert.deepEqual(await changes(), ["1 moved/c.ts", "2 a.ts", "3 b.ts", "3 sub/c.ts"]);
  });

  it("goes on in folders that are new, and leaves out those of tools", async () => {
    const { folder, changes } = await open({ "a.ts": "a" });
    await folder.write("new/deep/b.ts", "b");
    await mkdir(join(folder.path, "node_modules"));
    await folder.write("node_modules/x/index.js", "x");
    await folder.write("target/debug/out", "x");
    const first = await changes();
    await folder.write("new/deep/b.ts", "bb");
    assert.deepEqual([first, await changes()], [["1 new/deep/b.ts"], ["2 new/deep/b.ts"]]);
  });
});

describe("the texts on disk", () => {
  const scope = useTestScope();

  it("are never older than the last write, also when several follow each other at once", async () => {
    const folder = scope().use(await TestFolder.create({ "a.ts": "0" }));
    const disk = new DiskTexts();
    const path = join(folder.path, "a.ts");
    const read: (string | undefined)[] = [];
    for (let n = 1; n <= 9; n++) {
      await folder.write("a.ts", String(n));
      read.push(disk.read(path));
    }
    assert.deepEqual(read, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  it("are none where there is no file, or one that is no text", async () => {
    const folder = scope().use(await TestFolder.create({ "a.ts": "a" }));
    const disk = new DiskTexts();
    const texts = ["a.ts", "missing", "."].map((name) => disk.read(join(folder.path, name)));
    assert.deepEqual(texts, ["a", undefined, undefined]);
  });
});
