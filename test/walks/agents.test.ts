import assert from "node:assert/strict";
import { walkedAgents } from "../support/agents/agent-recipes.js";
import { useAgent } from "../support/agents/agent-session.js";
import { callsMcpTool, cancelsStream, createsFile, outputOfCommand, shout } from "../support/agents/agent-turns.js";
import { throughConductor } from "../support/conductor-command.js";
import { proxyText } from "../support/scripted-programs.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";
import { voicesOverHttp } from "../support/voices-server.js";

const behindProxy = {
  name: "through the conductor and a proxy",
  words: (words: readonly string[]) => throughConductor(words, [proxyText("mid", "--mcp", "pinger")]),
};

for (const recipe of walkedAgents) {
  describe(`${recipe.name} ${recipe.version}, ${behindProxy.name}`, function () {
    this.timeout(scaledMs(120_000));
    const agent = useAgent(recipe, behindProxy);
    const scope = useTestScope();

    it("asks, creates a file and ends its turn", async function () {
      await createsFile(await agent(this));
    });

    it("calls a tool of the proxy", async function () {
      const ping = { name: "mcp_ping", arguments: { text: "over here" }, result: "pong: over here" };
      await callsMcpTool(await agent(this), ping);
    });

    it("calls a tool of an MCP server that the client names", async function () {
      const { url } = scope().use(await voicesOverHttp());
      const mcpServers = () => [{ type: "http" as const, name: "voices", url, headers: [] }];
      await callsMcpTool(await agent(this), { ...shout, mcpServers });
    });

    it("runs commands with an environment that asks for short output", async function () {
      const command = "echo ruff=$RUFF_OUTPUT_FORMAT colour=$NO_COLOR";
      assert.match(await outputOfCommand(await agent(this), command), /ruff=concise colour=1/);
    });

    it("stops in the middle of a stream when cancelled", async function () {
      await cancelsStream(await agent(this));
    });
  });
}
