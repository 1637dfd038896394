import assert from "node:assert/strict";
import { type Command, Logger } from "@symposium-dev/core";
import { AbilityTable, ownCapabilities } from "../../../src/acp/client-abilities.js";
import { configurationKey } from "../../../src/acp/agent-configuration.js";
import { agentStarter } from "../../../src/acp/running-agent.js";
import { machineConfiguration } from "../../../src/features/other-machines/remote-agent-configuration.js";

describe("a chat whose agent is on another machine", () => {
  it("starts the command with the machine and its folder, and nothing of this window's chain", async () => {
    const started: Command[] = [];
    const start = agentStarter({
      command: () => ({ command: "node", args: ["main.js"], env: {} }),
      abilities: new AbilityTable([], Logger.silent, ownCapabilities),
      clientInfo: { name: "test", title: "Test", version: "1" },
      logger: Logger.silent,
      startProcess: (_name, command) => {
        started.push(command);
        return {
          ...{
            pid: undefined,
            isCongested: false,
            send: () => undefined,
            pause: () => undefined,
            resume: () => undefined,
          },
          onCongestion: () => undefined,
          exited: Promise.resolve({ code: 1, signal: null, stderrTail: "no route" }),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        };
      },
    });
    const there = machineConfiguration({ on: "ssh:build", folder: "src" }, "/w");
    await assert.rejects(start(there).ready);
    assert.deepEqual(started, [
      { command: "node", args: ["main.js", "run", "--on", "ssh:build", "--folder", "src"], env: {}, cwd: "/w" },
    ]);
    const other = machineConfiguration({ on: "ssh:build", folder: "other" }, "/w");
    assert.notEqual(configurationKey(there), configurationKey(other));
  });
});
