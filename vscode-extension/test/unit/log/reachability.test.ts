import assert from "node:assert/strict";
import { SymposiumError } from "@symposium-dev/core";
import { Logger, logLine, reportStart } from "../../../src/features/log/logger.js";
import { reportCommand, unreachableReporter } from "../../../src/features/log/reachability.js";

describe("the log after a start", () => {
  const lines: string[] = [];
  const logger = new Logger({ write: (event) => lines.push(`${event.level} ${logLine(event)}`) });
  beforeEach(() => void lines.splice(0));

  const facts = { version: "0.1.0", editor: "VS Code 1.139.1", platform: "linux-x64", node: "22.0.0", isTrusted: true };

  it("names the version, the editor and the platform, and the remote machine where there is one", () => {
    reportStart(logger, { ...facts, remote: undefined });
    reportStart(logger, { ...facts, remote: "ssh-remote" });
    const here = '"version":"0.1.0","editor":"VS Code 1.139.1","platform":"linux-x64","node":"22.0.0","isTrusted":true';
    assert.deepEqual(lines, [
      `info extension: started {${here}}`,
      `info extension: started {${here},"remote":"ssh-remote"}`,
    ]);
  });

  it("names the command, or why there is none and what to do", () => {
    reportCommand(logger, () => ({ command: "/usr/bin/node", args: ["/ext/bin/symposium-acp-agent.cjs"], env: {} }));
    reportCommand(logger, () => ({ command: "/bin/symposium-acp-agent", args: [], env: { TOKEN: "secret" } }));
    reportCommand(logger, () => {
      throw new SymposiumError("component-start-failed", "There is no such file.", "Correct it.");
    });
    assert.deepEqual(lines, [
      'info extension: agents are started with {"command":"/ext/bin/symposium-acp-agent.cjs"}',
      'info extension: agents are started with {"command":"/bin/symposium-acp-agent"}',
      `error extension: agents can't be started {"reason":"There is no such file. Correct it."}`,
    ]);
  });

  it("says once what could not be reached, without credentials", () => {
    const unreachable = unreachableReporter(logger);
    const failure = new Error("https://me:hunter2@registry.example/list.json did not answer");
    unreachable("the agent registry", failure);
    unreachable("the agent registry", failure);
    unreachable("the list of agents", "It ended with code 1.");
    assert.deepEqual(lines, [
      'warn extension: could not be reached {"what":"the agent registry","reason":"https://[redacted]@registry.example/list.json did not answer"}',
      'warn extension: could not be reached {"what":"the list of agents","reason":"It ended with code 1."}',
    ]);
  });
});
