import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trace } from "../../../src/app/cli/trace.js";

describe("the page of a trace", () => {
  it("is for this user alone, as the trace is", async function () {
    if (process.platform === "win32") this.skip();
    const folder = await mkdtemp(join(tmpdir(), "trace-page-"));
    try {
      const file = join(folder, "a.jsonl");
      await writeFile(file, '{"type":"header"}');
      await writeFile(join(folder, "a.html"), "an older page", { mode: 0o644 });
      assert.equal(await trace([file]), 0);
      assert.equal((await stat(join(folder, "a.html"))).mode & 0o777, 0o600);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
