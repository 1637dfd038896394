import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agents } from "../support/agents/agent-recipes.js";
import { callTool, say, toolNames } from "../support/fake-model/script.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";
import { openSession } from "../support/agents/agent-session.js";
import { conducted } from "../support/agents/routes.js";

const steered = "Mind the blue door.";

/** Agents into whose turns something can be said. */
const steerable = new Set(["claude", "codex"]);

for (const recipe of agents.filter(({ name }) => steerable.has(name))) {
  describe(`${recipe.name} ${recipe.version}, through the conductor`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();

    it("is told something while it runs a command, and ends the turn having read it", async function () {
      let running = "";
      let release = "";
      const { model, client, sessionId } = await openSession(
        scope(),
        { recipe, binFolder: binFolder(this), route: conducted },
        {
          script: (folder) => {
            [running, release] = [join(folder, "running"), join(folder, "release")];
            const command = `touch ${running}; until [ -e ${release} ]; do sleep 0.05; done; echo released`;
            return [callTool(toolNames.command, { command }), say("All ", "done.")];
          },
          mode: recipe.mode,
        },
      );
      const turn = client.prompt(sessionId, "Run the command.");
      await Promise.race([until(() => existsSync(running), Boolean), turn]);
      const outcome = await client.call("_session/steering", {
        sessionId,
        prompt: [{ type: "text", text: steered }],
        _meta: { steering: { idleBehavior: "promptRequired" } },
      });
      await writeFile(release, "");
      const { stopReason } = await turn;
      const idle = await client.call("_session/steering", {
        sessionId,
        prompt: [{ type: "text", text: "Nobody runs." }],
        _meta: { steering: { idleBehavior: "promptRequired" } },
      });
      assert.deepEqual(
        {
          outcome,
          stopReason,
          isRead: model.requests.some(({ body }) => JSON.stringify(body).includes(steered)),
          idle: idle["outcome"],
        },
        { outcome: { outcome: "injected" }, stopReason: "end_turn", isRead: true, idle: "promptRequired" },
      );
    });
  });
}
