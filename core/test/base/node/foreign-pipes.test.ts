import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTextFile } from "../../../src/context/node/text-files.js";
import { loadUntrustedText, openUntrusted, RefusedFile } from "../../../src/base/node/read-untrusted-file.js";
import { DiskFiles } from "../../../src/extensions/packages/node/disk-files.js";
import { ideOperationsServices } from "../../../src/extensions/ide-operations/node.js";
import { readServerFile } from "../../../src/context/servers/node/read-server-file.js";

describe("a pipe, a link or a growing file in the place of a file", () => {
  let folder = "";
  before(function () {
    if (process.platform === "win32") this.skip(); // It has no named pipes among files.
    folder = realpathSync(mkdtempSync(join(tmpdir(), "foreign-pipes-")));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    mkdirSync(join(folder, "within"));
    mkdirSync(join(folder, "outside"));
    writeFileSync(join(folder, "outside", "file"), "secret");
    writeFileSync(join(folder, "within", "file"), "text");
    symlinkSync(join(folder, "outside"), join(folder, "within", "link"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const refusalOf = (error: unknown): unknown => (error instanceof RefusedFile ? error.refusal : error);

  it("is refused with its reason, and nobody waits for it", async () => {
    const path = join(folder, "pipe");
    const found = await Promise.all([
      loadUntrustedText(path).catch(refusalOf),
      loadUntrustedText(folder).catch(refusalOf),
      loadUntrustedText(join(folder, "within", "file"), 2).catch(refusalOf),
      openUntrusted("/dev/null", { maxBytes: 1 }).catch(refusalOf),
    ]);
    assert.deepEqual(found, ["special", "folder", "long", "special"]);
  });

  it("is nothing that context, servers, packages or IDE operations read", async () => {
    const path = join(folder, "pipe");
    assert.equal((await readTextFile(path))?.problem, "it is no file");
    assert.equal((await readServerFile(path, "json")).state, "unreadable");
    assert.equal(await new DiskFiles().read(path), undefined);
    assert.equal(await ideOperationsServices().readText(path), undefined);
  });

  it("is no way out of a project, even if a folder on the way becomes a link", async () => {
    const within = join(folder, "within");
    assert.equal((await readTextFile(join(within, "file"), within))?.text, "text");
    assert.equal(
      (await readTextFile(join(within, "link", "file"), within))?.problem,
      "a link leads outside the project",
    );
    mkdirSync(join(within, "a"));
    writeFileSync(join(within, "a", "file"), "text");
    const reading = readTextFile(join(within, "a", "file"), within);
    renameSync(join(within, "a"), join(within, "b"));
    symlinkSync(join(folder, "outside"), join(within, "a"));
    assert.notEqual((await reading)?.text, "secret");
  });
});
