import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { opencode, writtenText } from "../support/agents/agent-recipes.js";
import { openSession } from "../support/agents/agent-session.js";
import { isStreamed } from "../support/agents/agent-turns.js";
import { sandboxed } from "../support/agents/routes.js";
import { callTool, type ScriptStep, talkUntilCancelled, toolNames } from "../support/fake-model/script.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { usePackage } from "../support/packages/use-package.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

/** Writes the status of the answer to a file: 502 for a host that is let through, since `.test` has no addresses, else 403. */
function fetches(host: string, file: string): ScriptStep {
  const command = `curl -s -o /dev/null -w '%{http_code}' http://${host}/ > ${file}`;
  return callTool(toolNames.command, { command });
}

describe(`${opencode.name} ${opencode.version} in a sandbox`, function () {
  this.timeout(scaledMs(120_000));
  before(function () {
    needsSandbox(this);
  });
  const binFolder = usePackage(opencode);
  const scope = useTestScope();

  it("writes its workspace alone, reaches the hosts that are allowed, and leaves nothing when all is killed", async function () {
    const agent = { recipe: opencode, binFolder: binFolder(this), route: sandboxed };
    const outside = "../outside.txt";
    const { client, sessionId, workspace, home } = await openSession(scope(), agent, {
      script: (folder) => [
        opencode.createsFile(join(folder, "inside.txt")),
        opencode.createsFile(join(folder, outside)),
        fetches("asked.example.test", "asked"),
        fetches("refused.example.test", "refused"),
        talkUntilCancelled,
      ],
      files: {
        home: (modelUrl) => ({
          ".symposium/guard.jsonc": JSON.stringify({
            rules: [
              { effect: "allow", host: new URL(modelUrl).host },
              { effect: "deny", host: "refused.example.test", reason: "No." },
            ],
          }),
        }),
      },
    });
    const turn = client.prompt(sessionId, "Create both files, and fetch both hosts.");
    await Promise.race([client.update(isStreamed), turn]);
    await client.cancel(sessionId);
    const { stopReason } = await turn;
    const titles = client.permissionRequests.map(({ toolCall }) => toolCall.title ?? "");
    assert.deepEqual(
      {
        stopReason,
        inside: (await readFile(join(workspace, "inside.txt"), "utf8")).trim(),
        hasOutside: existsSync(join(workspace, outside)),
        asked: titles.filter((title) => /\.test:\d+$/.test(title)),
        statuses: await Promise.all(["asked", "refused"].map((name) => readFile(join(workspace, name), "utf8"))),
      },
      {
        stopReason: "cancelled",
        inside: writtenText,
        hasOutside: false,
        asked: ["asked.example.test:80"],
        statuses: ["502", "403"],
      },
    );
    const running = await survivingProcesses(home, 0);
    const [conductor] = [...running].find(([, words]) => words.includes("run-with")) ?? [];
    assert.ok(conductor !== undefined && running.size > 2, "the conductor, bubblewrap and the agent run");
    process.kill(conductor, "SIGKILL");
    assert.deepEqual(await survivingProcesses(home, 20_000), new Map());
  });
});
