import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { root } from "../../scripts/set-up.mjs";

describe(".ci/run", () => {
  let folder;
  beforeEach(function () {
    if (process.platform === "win32") {
      this.currentTest.title += " (a shell script)";
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), "ci-run-"));
  });
  afterEach(() => folder && rmSync(folder, { recursive: true, force: true }));

  /** Runs .ci/run with an npm whose `test` and `run test:all` print these lines; a command whose last line is no "0 failed" fails. */
  function runWith(first, second) {
    const script = `#!/bin/sh
if [ "$1" = test ]; then printf '%s\\n' ${quoted(first)}; else printf '%s\\n' ${quoted(second)}; fi | tee "$0.output"
tail -n 1 "$0.output" | grep -q ' 0 failed'`;
    writeFileSync(join(folder, "npm"), script, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const { stdout, status } = spawnSync(join(root, ".ci/run"), { env, encoding: "utf8" });
    const start = stdout.indexOf("=== summary ===");
    return { status, summary: stdout.slice(start).trimEnd().split("\n"), output: stdout.slice(0, start).trimEnd() };
  }

  it("repeats the names and the last line of both commands and adds the sums", () => {
    const first = [
      "failed: printed by a test",
      "passes",
      "failed: core: adds",
      "flaky: walks: answers",
      "9 passed, 1 failed",
    ];
    const { status, summary, output } = runWith(first, ["passes", "30 passed, 0 failed, 2 skipped"]);
    assert.deepEqual(summary, [
      "=== summary ===",
      "npm test:",
      "  failed: core: adds",
      "  flaky: walks: answers",
      "  9 passed, 1 failed",
      "npm run test:all:",
      "  30 passed, 0 failed, 2 skipped",
      "39 passed, 1 failed, 2 skipped",
    ]);
    assert.deepEqual(output.split("\n"), [...first, "passes", "30 passed, 0 failed, 2 skipped"]);
    assert.equal(status, 1);
  });

  it("succeeds if both commands do", () => {
    const { status, summary } = runWith(["9 passed, 0 failed"], ["30 passed, 0 failed"]);
    assert.deepEqual({ status, last: summary.at(-1) }, { status: 0, last: "39 passed, 0 failed, 0 skipped" });
  });

  it("counts a command that ended without a sum as one failure", () => {
    const { status, summary } = runWith(["The build failed: see above."], ["30 passed, 0 failed"]);
    assert.deepEqual(summary.slice(1, 3), ["npm test:", "  The build failed: see above."]);
    assert.deepEqual({ status, last: summary.at(-1) }, { status: 1, last: "30 passed, 1 failed, 0 skipped" });
  });
});

function quoted(lines) {
  return lines.map((line) => `'${line}'`).join(" ");
}
