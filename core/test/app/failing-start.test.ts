import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../src/app/cli/main.js", import.meta.url));
const agent = `${process.execPath} -e process.exit(3)`;

describe("an agent that does not start", function () {
  this.timeout(60_000);
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-start-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs a command, sends it `initialize`, and returns its stderr. */
  function errorsOf(...words: readonly string[]): Promise<string> {
    const env = { ...process.env, SYMPOSIUM_CONFIG_DIR: folder };
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [program, ...words], { env }, (_error, _stdout, stderr) => {
        resolve(stderr);
      });
      const params = { protocolVersion: 1, clientCapabilities: {} };
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`);
    });
  }

  it("is said once, by run-with and by run", async () => {
    await writeFile(join(folder, "config.jsonc"), JSON.stringify({ agent, proxies: [] }));
    for (const errors of [await errorsOf("run-with", "--agent", agent), await errorsOf("run")]) {
      assert.deepEqual([errors.match(/exited with code 3/g)?.length, errors.split("\n").length], [1, 2], errors);
    }
  });
});
