import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { agents, writtenText } from "../support/agents/agent-recipes.js";
import { callToolWith, type ScriptStep, talkUntilCancelled, toolNames } from "../support/fake-model/script.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { usePackage } from "../support/packages/use-package.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { sandboxed } from "../support/agents/routes.js";
import { isStreamed } from "../support/agents/agent-turns.js";
import { scaledMs } from "../support/until.js";

// test/walks/sandbox.test.ts has OpenCode.
for (const recipe of agents) if (recipe.name !== "opencode") describeAgent(recipe);

function describeAgent(recipe: AgentRecipe): void {
  // Its own sandbox is off, and with it the question that a command may ask for.
  const creates = (path: string): ScriptStep =>
    recipe.name === "codex"
      ? callToolWith(toolNames.command, { cmd: `echo ${writtenText} > ${path}` })
      : recipe.createsFile(path);
  describe(`${recipe.name} ${recipe.version} in a sandbox`, function () {
    this.timeout(scaledMs(400_000));
    before(function () {
      needsSandbox(this);
    });
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("writes its workspace and nothing outside of it, stops when cancelled, and leaves nothing when all is killed", async function () {
      const agent = { recipe, binFolder: binFolder(this), route: sandboxed };
      const outside = "../outside.txt";
      const { client, sessionId, workspace, home } = await openSession(scope(), agent, {
        script: (folder) => [creates(join(folder, "inside.txt")), creates(join(folder, outside)), talkUntilCancelled],
        files: {
          home: (modelUrl) => ({
            ".symposium/guard.jsonc": JSON.stringify({
              rules: [{ effect: "allow", host: new URL(modelUrl).host }],
            }),
          }),
        },
      });
      const turn = client.prompt(sessionId, "Create both files.");
      await Promise.race([client.update(isStreamed), turn]);
      await client.cancel(sessionId);
      assert.deepEqual(
        [
          (await turn).stopReason,
          (await readFile(join(workspace, "inside.txt"), "utf8")).trim(),
          existsSync(join(workspace, outside)),
        ],
        ["cancelled", writtenText, false],
      );
      const running = await survivingProcesses(home, 0);
      const [conductor] = [...running].find(([, words]) => words.includes("run-with")) ?? [];
      assert.ok(conductor !== undefined && running.size > 2, "the conductor, bubblewrap and the agent run");
      process.kill(conductor, "SIGKILL");
      assert.deepEqual(await survivingProcesses(home, 20_000), new Map());
    });
  });
}
