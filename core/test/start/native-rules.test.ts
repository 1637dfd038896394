import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../src/base/logger.js";
import type { Command, StartProcess } from "../../src/conductor/component.js";
import { startingWithDenials } from "../../src/start/native-rules.js";

describe("agents that take denials with their start", () => {
  let config = "";
  const before = process.env["SYMPOSIUM_CONFIG_DIR"];
  beforeEach(async () => {
    config = await mkdtemp(join(tmpdir(), "native-rules-"));
    process.env["SYMPOSIUM_CONFIG_DIR"] = config;
  });
  afterEach(async () => {
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    await rm(config, { recursive: true });
  });

  /** The words of Copilot as it starts under these rules. */
  async function copilotWords(rules: readonly object[]): Promise<readonly string[]> {
    await writeFile(join(config, "guard.jsonc"), JSON.stringify({ rules }));
    const started: Command[] = [];
    const start: StartProcess = (_name, command) => {
      started.push(command);
      throw new Error("It is not started.");
    };
    const denying = (await startingWithDenials(Logger.silent, true))(start);
    const handlers = {
      line: () => undefined,
      oversize: () => undefined,
      end: () => undefined,
      stalled: () => undefined,
    };
    assert.throws(() => denying("copilot", { command: "copilot", args: ["--acp"], env: {} }, handlers));
    return started[0]?.args ?? [];
  }

  it("get those that hold everywhere, since one process serves many folders", async () => {
    const rules = [
      { effect: "deny", command: "git push" },
      { effect: "deny", command: "npm publish", in: "~/one/folder" },
    ];
    assert.deepEqual(await copilotWords(rules), ["--acp", "--deny-tool=shell(git push)"]);
    assert.deepEqual(await copilotWords(rules.slice(1)), ["--acp"]);
  });
});
