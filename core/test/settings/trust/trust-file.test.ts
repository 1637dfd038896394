import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrustFile } from "../../../src/settings/trust/node/trust-file.js";

describe("trust.json", () => {
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "trust-test-")))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("holds for what is in a trusted folder, for every process, and is for its user alone", async () => {
    const file = new TrustFile(folder);
    assert.equal(await file.has(folder), false);
    await file.add(folder);
    assert.equal(await new TrustFile(folder).has(join(folder, "a")), true);
    assert.deepEqual(JSON.parse(await readFile(file.path, "utf8")), { folders: [folder] });
    if (process.platform !== "win32") assert.equal((await stat(file.path)).mode & 0o777, 0o600);
    await file.remove(folder);
    assert.equal(await file.has(folder), false);
  });

  it("keeps the folders of all who write at the same time", async () => {
    const names = Array.from({ length: 12 }, (_, index) => join(folder, `project-${index}`));
    await Promise.all(names.map((name) => new TrustFile(folder).add(name)));
    assert.deepEqual((await new TrustFile(folder).read()).folders, names.toSorted());
  });

  it("keeps answers about components beside the folders", async () => {
    const file = new TrustFile(folder);
    await file.add(folder);
    await Promise.all(["a", "b", "c"].map((one) => new TrustFile(folder).keepAnswer("/w/s.json", one, one !== "b")));
    const answers = await Promise.all(["a", "b", "c", "d"].map((one) => file.answerAbout("/w/s.json", one)));
    assert.deepEqual(answers, [true, false, true, undefined]);
    await file.add(join(folder, "..", "another"));
    assert.equal(await file.answerAbout("/w/s.json", "a"), true);
    assert.equal(await file.has(folder), true);
  });

  it("takes other users' rights to it away", async function () {
    if (process.platform === "win32") this.skip();
    const file = new TrustFile(folder);
    await writeFile(file.path, "{}", { mode: 0o666 });
    await file.add(folder);
    assert.equal((await stat(file.path)).mode & 0o777, 0o600);
  });

  it("trusts nothing where it cannot be understood, and is not replaced", async () => {
    const file = new TrustFile(folder);
    await writeFile(file.path, '{"folders": ["/"');
    assert.equal(await file.has(folder), false);
    await assert.rejects(file.add(folder), {
      code: "trust-not-read",
      message: `Can't read ${file.path}: line 1 isn't valid JSON.`,
    });
    assert.equal(await readFile(file.path, "utf8"), '{"folders": ["/"');
  });

  it("knows where a link leads, and that nothing is there", async () => {
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "link"), "junction");
    const file = new TrustFile(folder);
    assert.equal(await file.realPath(join(folder, "link")), join(folder, "real"));
    assert.equal(await file.realPath(join(folder, "nothing")), undefined);
  });
});
