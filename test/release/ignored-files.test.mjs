import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import { getFileInfo } from "prettier";

const root = fileURLToPath(new URL("../../", import.meta.url));
const limitMs = 180_000;

describe("what git ignores", function () {
  this.timeout(limitMs);

  it("is read by no linter, which may run while it comes and goes", async () => {
    const eslint = new ESLint({ cwd: root });
    const folders = ["dist", "core/dist/bin", "vscode-extension/bin", "vscode-extension/dist-ts", "dist-docs"];
    const others = ["node_modules/a", "test-output", ".cache/docs", "zed-extension/context-server/target"];
    const ignorePath = [".gitignore", ".prettierignore"].map((name) => join(root, name));
    for (const folder of [...folders, ...others]) {
      const file = join(root, folder, "a.mjs");
      const { status } = spawnSync("git", ["check-ignore", "--quiet", file], { cwd: root });
      const { ignored } = await getFileInfo(file, { ignorePath });
      assert.deepEqual([status, await eslint.isPathIgnored(file), ignored], [0, true, true], file);
    }
    const source = join(root, "scripts/test.mjs");
    const { ignored } = await getFileInfo(source, { ignorePath });
    assert.deepEqual([await eslint.isPathIgnored(source), ignored], [false, false]);
  });

  it("is all that the extension's bundle makes beside its target, also for a moment", async () => {
    const names = new Set();
    const watcher = watch(join(root, "vscode-extension"), (_event, name) => names.add(name));
    try {
      const [code] = await once(
        spawn("node", ["scripts/bundle-extension.mjs"], { cwd: root, stdio: "inherit" }),
        "exit",
      );
      assert.equal(code, 0);
    } finally {
      watcher.close();
    }
    assert.deepEqual(
      [...names].filter((name) => name.startsWith("bin")),
      ["bin"],
    );
  });
});
