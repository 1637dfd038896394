import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/set-up.mjs";

const texts = (...words) =>
  spawnSync(process.execPath, [join(root, "scripts/texts.mjs"), ...words], { encoding: "utf8" });

describe("npm run texts", () => {
  it("has listed the texts of the extension's sources", () => {
    const { status, stderr } = texts("--check");
    assert.equal(status, 0, stderr);
  });

  it("writes accented texts with the same placeholders", async () => {
    const folder = await mkdtemp(join(tmpdir(), "texts-"));
    try {
      const { status, stderr } = texts("--pseudo", folder);
      assert.equal(status, 0, stderr);
      const pseudo = JSON.parse(await readFile(join(folder, "l10n/bundle.l10n.qps-ploc.json"), "utf8"));
      const text = pseudo["Open {0}"];
      assert.match(text, /\{0\}/);
      assert.doesNotMatch(text, /Open/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
