import { join } from "node:path";
import { agents } from "../support/agents/agent-recipes.js";
import { shellWords, throughConductor } from "../support/conductor-command.js";
import { usePackage } from "../support/packages/use-package.js";
import { repositoryRoot } from "../support/repository.js";
import { useTestScope } from "../support/test-scope.js";
import { callsMcpTool } from "../support/agents/agent-turns.js";
import { type Route, startAgent } from "../support/agents/agent-session.js";
import { scaledMs } from "../support/until.js";

const proxyProgram = join(repositoryRoot, "core/dist/src/testing/node/proxy-main.js");
const dialects = ["legacy", "mid", "current"] as const;

/** One proxy of every dialect in one chain; the one that speaks `offering` offers a server. */
function mixedChain(offering: string): Route {
  const proxies = dialects.map((dialect) => {
    const offer = dialect === offering ? ["--mcp", "pinger"] : [];
    return shellWords(["node", proxyProgram, "--dialect", dialect, ...offer]);
  });
  return { name: "mixed", words: (agentWords) => throughConductor(agentWords, proxies) };
}

describe("MCP servers of proxies", () => {
  const scope = useTestScope();
  for (const recipe of agents) {
    describe(`with ${recipe.name} ${recipe.version}`, function () {
      this.timeout(scaledMs(400_000));
      const binFolder = usePackage(recipe);
      for (const dialect of dialects) {
        it(`lets the agent call a tool of a proxy that speaks the ${dialect} dialect, in a chain of all three`, async function () {
          await callsMcpTool(
            await startAgent(scope(), { recipe, binFolder: binFolder(this), route: mixedChain(dialect) }),
            { name: "mcp_ping", arguments: { text: "over here" }, result: "pong: over here" },
          );
        });
      }
    });
  }
});
