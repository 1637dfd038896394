import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const limitMs = 180_000;

describe("what git ignores", function () {
  this.timeout(limitMs);

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
