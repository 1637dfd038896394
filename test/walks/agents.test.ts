import { walkedAgents } from "../support/agents/agent-recipes.js";
import { useAgent } from "../support/agents/agent-session.js";
import { callsMcpTool, testTurns } from "../support/agents/agent-turns.js";
import { throughConductor } from "../support/conductor-command.js";
import { proxyText } from "../support/scripted-programs.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const behindProxy = {
  name: "through the conductor and a proxy",
  words: (words: readonly string[]) => throughConductor(words, [proxyText("mid", "--mcp", "pinger")]),
};

for (const recipe of walkedAgents) {
  describe(`${recipe.name} ${recipe.version}, ${behindProxy.name}`, function () {
    this.timeout(scaledMs(120_000));
    const agent = useAgent(recipe, behindProxy);
    const scope = useTestScope();

    testTurns(agent, scope);

    it("calls a tool of the proxy", async function () {
      const ping = { name: "mcp_ping", arguments: { text: "over here" }, result: "pong: over here" };
      await callsMcpTool(await agent(this), ping);
    });
  });
}
