import { SymposiumError } from "../../base/symposium-error.js";
import { nameOf } from "../../conductor/component.js";
import type { OpenAgent } from "../../model/agent-connection.js";
import type { OfferedAgent } from "../../openai/chat-service.js";
import type { Config } from "../../settings/config.js";
import { proxiesOfConfig, toAgent } from "../components.js";
import { builtInNames } from "../configuration.js";
import type { Environment } from "../environment.js";
import { type ChainPlan, openChain } from "../open-chain.js";
import type { OfferedModel } from "./offered-models.js";

/** The models with the chains behind them, which start when they are first asked. Rejects where one cannot be started. */
export async function openAgents(
  models: readonly OfferedModel[],
  config: Config | undefined,
  environment: Environment,
): Promise<readonly OfferedAgent[]> {
  return Promise.all(
    models.map(async ({ id, name, component = config?.agent }) => {
      if (!component) {
        throw new SymposiumError(
          "invalid-config",
          "No agent is configured.",
          "Run `symposium-acp-agent setup`, or name one with --agent.",
        );
      }
      const agent = await toAgent(component, environment);
      return { id, name, open: opener({ agent, proxies: [] }, config, environment) };
    }),
  );
}

/** Proxies hold what belongs to one chain: each chain gets its own. */
function opener(plan: ChainPlan, config: Config | undefined, environment: Environment): OpenAgent {
  return async (client, proxy, onFailure) => {
    const entries = config?.proxies ?? builtInNames.map((name) => ({ name, enabled: true }));
    const configured = await proxiesOfConfig(entries, environment);
    const proxies = [{ kind: "proxy", proxy } as const, ...configured];
    environment.logger.info("a chain starts", { proxies: proxies.map(nameOf).join(",") });
    return openChain({ ...plan, proxies }, environment, client, { onFailure: ({ message }) => onFailure(message) });
  };
}
