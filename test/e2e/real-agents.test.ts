import assert from "node:assert/strict";
import type { AcpClient } from "../support/acp-client.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { furtherAgents, usualAgents } from "../support/agents/agent-recipes.js";
import { installPackage } from "../support/packages/install-package.js";
import { installWhenAsked } from "../support/packages/install-when-asked.js";
import type { Installation, PinnedPackage } from "../support/packages/pinned-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { useTestScope } from "../support/test-scope.js";
import { voicesOverAcp, voicesOverHttp } from "../support/voices-server.js";
import { callsMcpTool, cancelsStream, createsFile, outputOfCommand } from "./agent-turns.js";
import { conducted, direct } from "./routes.js";
import { scaledMs } from "../support/until.js";

const turnLimitMs = 400_000;
const shout = { name: "shout", arguments: { text: "reached the model" }, result: "REACHED THE MODEL" };

for (const recipe of usualAgents) describeAgent(recipe, installPackage);
for (const recipe of furtherAgents) describeAgent(recipe, installWhenAsked);

function describeAgent(recipe: AgentRecipe, install: (pinned: PinnedPackage) => Promise<Installation>): void {
  describe(`${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(turnLimitMs));
    const binFolder = usePackage(recipe, install);
    const scope = useTestScope();

    for (const route of [direct, conducted]) {
      it(`asks, creates a file and ends its turn, ${route.name}`, async function () {
        await createsFile(scope(), { recipe, binFolder: binFolder(this), route });
      });

      it(`stops in the middle of a stream when cancelled, ${route.name}`, async function () {
        await cancelsStream(scope(), { recipe, binFolder: binFolder(this), route });
      });

      it(`calls a tool of an MCP server that the client names, ${route.name}`, async function () {
        const { url } = scope().use(await voicesOverHttp());
        const mcpServers = () => [{ type: "http" as const, name: "voices", url, headers: [] }];
        await callsMcpTool(scope(), { recipe, binFolder: binFolder(this), route }, { ...shout, mcpServers });
      });
    }

    it("runs commands that are told to write in short, through the conductor", async function () {
      const command = "echo ruff=$RUFF_OUTPUT_FORMAT colour=$NO_COLOR";
      const agent = { recipe, binFolder: binFolder(this), route: conducted };
      assert.match(await outputOfCommand(scope(), agent, command), /ruff=concise colour=1/);
    });

    it("calls a tool that the client serves over ACP, through the conductor", async function () {
      const mcpServers = (client: AcpClient) => [client.offerMcpServer("voices", voicesOverAcp())];
      await callsMcpTool(scope(), { recipe, binFolder: binFolder(this), route: conducted }, { ...shout, mcpServers });
    });
  });
}
