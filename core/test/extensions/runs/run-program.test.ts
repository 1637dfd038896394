import assert from "node:assert/strict";
import { runProgram } from "../../../src/base/runs/node/run-program.js";

describe("a program that is run", function () {
  this.timeout(120_000);

  for (const stream of ["stdout", "stderr"]) {
    it(`is ended when it writes too much to ${stream}, which is read apart`, async () => {
      const script = `process.${stream}.write("x".repeat(1_000_000)); setInterval(() => {}, 1_000_000);`;
      const command = { command: process.execPath, args: ["-e", script], cwd: process.cwd(), env: {} };
      const { signal } = new AbortController();
      const ignore = (): void => undefined;
      const { endedBy } = await runProgram(
        command,
        { signal, timeoutMs: 30_000, output: ignore, errors: ignore },
        { watchdog: undefined, env: process.env, terminationMs: 2_000, maxOutputBytes: 500_000 },
      );
      assert.equal(endedBy, "output-limit");
    });
  }
});
