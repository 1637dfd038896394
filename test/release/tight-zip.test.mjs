import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { fromBufferPromise } from "yauzl";
import { ZipFile } from "yazl";
import { compressTightly } from "../../scripts/release/tight-zip.mjs";

describe("a zip archive that is compressed again", () => {
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-tight-zip-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("has the same files, modes and order in fewer bytes, twice the same ones", async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `line ${(at * 7_919) % 10_007}`).join("\n");
    const files = [
      { name: "program.mjs", content: Buffer.from(text), mode: 0o100755 },
      { name: "folder/short.txt", content: Buffer.from("short"), mode: 0o100644 },
      { name: "folder/empty.txt", content: Buffer.alloc(0), mode: 0o100644 },
    ];
    const archive = join(folder, "a.zip");
    await writeZip(archive, files);
    const before = (await stat(archive)).size;
    await compressTightly(archive);
    const first = await readFile(archive);
    assert.deepEqual(await filesOf(first), files);
    assert.ok(first.length < before, `${first.length} bytes instead of ${before}`);
    await writeZip(archive, files);
    await compressTightly(archive);
    assert.deepEqual(await readFile(archive), first);
  });
});

async function writeZip(archive, files) {
  const zip = new ZipFile();
  for (const { name, content, mode } of files) zip.addBuffer(content, name, { mode });
  zip.end();
  await writeFile(archive, await buffer(zip.outputStream));
}

/** Reads the archive with the library that VS Code uses. It compares sizes, but not checksums. */
async function filesOf(bytes) {
  const zip = await fromBufferPromise(bytes);
  const files = [];
  for await (const entry of zip.eachEntry()) {
    const content = await buffer(await zip.openReadStreamPromise(entry));
    assert.equal(entry.crc32, crc32(content));
    files.push({ name: entry.fileName, content, mode: entry.externalFileAttributes >>> 16 });
  }
  return files;
}
