import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Runs the command's own suites with the program at `path`: what it says in a terminal, and the protocol's requirements. */
export function passesSuites(path) {
  const mocha = createRequire(import.meta.url).resolve("mocha/bin/mocha.js");
  const files = ["test/dist/e2e/command-line.test.js", "test/dist/conformance/*.test.js"];
  const words = [mocha, "--timeout", "400000", "--reporter", "dot", "--forbid-only", ...files];
  const env = { ...process.env, SYMPOSIUM_TEST_COMMAND: path };
  const { status, stdout, stderr } = spawnSync("node", words, { cwd: root, encoding: "utf8", env });
  assert.equal(status, 0, `${path}:\n${stdout}\n${stderr}`);
  assert.match(stdout, /\b\d{3,} passing/);
}
