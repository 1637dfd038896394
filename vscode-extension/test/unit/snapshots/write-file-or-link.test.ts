import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeFile } from "../../../src/features/snapshots/write-file-or-link.js";

describe("what is put back", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "symposium place "))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it("takes no other file's place that came right before it, nor the place of a link, and leaves nothing behind", async () => {
    const [file, link] = [join(folder, "file"), join(folder, "link")];
    writeFileSync(file, "mine");
    symlinkSync("file", link);
    const beforeReplacing = (): Promise<void> => Promise.reject(new Error("changed"));
    for (const path of [file, link])
      for (const what of [null, Buffer.from("theirs"), { target: "elsewhere" }])
        await assert.rejects(placeFile(path, what, { beforeReplacing }), /changed/);
    assert.deepEqual([readFileSync(file, "utf8"), readlinkSync(link)], ["mine", "file"]);
    assert.deepEqual(readdirSync(folder), ["file", "link"]);
  });

  it("replaces a link and not what that leads to", async () => {
    const [file, link] = [join(folder, "file"), join(folder, "link")];
    writeFileSync(file, "mine");
    symlinkSync("file", link);
    await placeFile(link, Buffer.from("was here"));
    assert.deepEqual([readFileSync(file, "utf8"), readFileSync(link, "utf8")], ["mine", "was here"]);
    await placeFile(link, { target: "file" });
    assert.equal(readFileSync(link, "utf8"), "mine");
  });
});
