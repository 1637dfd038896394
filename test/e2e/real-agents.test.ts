import assert from "node:assert/strict";
import type { AcpClient } from "../support/acp-client.js";
import { agents, walkedAgents } from "../support/agents/agent-recipes.js";
import { useAgent } from "../support/agents/agent-session.js";
import { callsMcpTool, cancelsStream, createsFile, outputOfCommand, shout } from "../support/agents/agent-turns.js";
import { conducted, direct } from "../support/agents/routes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";
import { voicesOverAcp, voicesOverHttp } from "../support/voices-server.js";

for (const recipe of agents) {
  for (const route of [direct, conducted]) {
    describe(`${recipe.name} ${recipe.version}, ${route.name}`, function () {
      this.timeout(scaledMs(400_000));
      const agent = useAgent(recipe, route);
      const scope = useTestScope();
      // test/walks/agents.test.ts has these turns of the others.
      if (route === direct || !walkedAgents.includes(recipe)) {
        it("asks, creates a file and ends its turn", async function () {
          await createsFile(await agent(this));
        });

        it("stops in the middle of a stream when cancelled", async function () {
          await cancelsStream(await agent(this));
        });

        it("calls a tool of an MCP server that the client names", async function () {
          const { url } = scope().use(await voicesOverHttp());
          const mcpServers = () => [{ type: "http" as const, name: "voices", url, headers: [] }];
          await callsMcpTool(await agent(this), { ...shout, mcpServers });
        });
      }

      if (route === conducted) {
        if (!walkedAgents.includes(recipe)) {
          it("runs commands with an environment that asks for short output", async function () {
            const command = "echo ruff=$RUFF_OUTPUT_FORMAT colour=$NO_COLOR";
            assert.match(await outputOfCommand(await agent(this), command), /ruff=concise colour=1/);
          });
        }

        it("calls a tool that the client serves over ACP", async function () {
          const mcpServers = (client: AcpClient) => [client.offerMcpServer("voices", voicesOverAcp())];
          await callsMcpTool(await agent(this), { ...shout, mcpServers });
        });
      }
    });
  }
}
