import assert from "node:assert/strict";
import { join } from "node:path";
import { furtherAgents, usualAgents } from "../support/agents/agent-recipes.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { installPackage } from "../support/packages/install-package.js";
import { installWhenAsked } from "../support/packages/install-when-asked.js";
import type { Installation, PinnedPackage } from "../support/packages/pinned-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { repositoryRoot } from "../support/repository.js";
import { useTestScope } from "../support/test-scope.js";
import { openSession } from "./agent-session.js";
import { conducted } from "./routes.js";

const program = join(repositoryRoot, "core", "dist", "test", "servers", "node", "odd-server.js");

for (const recipe of usualAgents) describeAgent(recipe, installPackage);
for (const recipe of furtherAgents) describeAgent(recipe, installWhenAsked);

function describeAgent(recipe: AgentRecipe, install: (pinned: PinnedPackage) => Promise<Installation>): void {
  describe(`${recipe.name} ${recipe.version} and a server of config.jsonc`, function () {
    this.timeout(120_000);
    const binFolder = usePackage(recipe, install);
    const scope = useTestScope();

    it("calls its tool, which runs in the folder of its entry", async function () {
      const odd = { command: "node", args: [program], env: { FIXTURE: "${env:HOME}" }, cwd: "${userHome}/there" };
      const config = JSON.stringify({ mcpServers: { odd } });
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      const { model, client, sessionId } = await openSession(scope(), agent, {
        script: () => [callToolWith(/where$/i, {}), say("Done.")],
        mode: recipe.mcpMode,
        files: { home: { ".symposium/config.jsonc": config, "there/file.txt": "x" } },
      });
      const { stopReason } = await client.prompt(sessionId, "Use the tool where.");
      const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
      assert.equal(stopReason, "end_turn");
      assert.match(results, /\/there \S+ \d+/);
    });
  });
}
