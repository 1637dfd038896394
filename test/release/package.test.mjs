import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("npm run package", () => {
  const packaged = (...words) =>
    spawnSync("node", ["scripts/release/package.mjs", ...words], { cwd: root, encoding: "utf8" });

  for (const words of [
    ["--platform", "amiga"],
    ["--only", "floppy"],
  ]) {
    it(`refuses ${words.join(" ")}, and lists the choices`, () => {
      const { status, stderr } = packaged(...words);
      assert.equal(status, 1);
      assert.match(stderr, /^"(?:amiga|floppy)" is no p[^:]+: .+\.$/m);
    });
  }

  it("refuses a folder with other files", async () => {
    const out = await mkdtemp(join(tmpdir(), "symposium-package-"));
    try {
      await writeFile(join(out, "notes.txt"), "mine");
      const { status, stderr } = packaged("--only", "npm", "--out", out);
      assert.deepEqual(
        [status, stderr],
        [1, `${out} has files that are no release, and would be emptied: name a new folder.\n`],
      );
      assert.deepEqual(await readdir(out), ["notes.txt"]);
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  });
});
