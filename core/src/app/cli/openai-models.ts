import { knownAgents } from "../../agents/known-agents.js";
import { invalidArguments, SymposiumError } from "../../base/symposium-error.js";
import { nameOf } from "../../conductor/chain/component.js";
import type { OpenAgent } from "../../models/agent-connection.js";
import type { ServedAgent } from "../../models/openai/chat-service.js";
import { canonicalAgentId } from "../../agents/registry/built-in-agents.js";
import type { Component } from "../../settings/component-spec.js";
import type { Config } from "../../settings/config.js";
import { proxiesOfConfig, toAgent } from "../components.js";
import { isOnPath, readAgentText } from "../../agents/node/find-agent.js";
import { defaultExtensions } from "../../extensions/extension-names.js";
import type { Environment } from "../environment.js";
import { type ChainPlan, openChain } from "../serve-chain.js";

/** Chain offered as a model: the configured chain, or the configured proxies before another agent. */
interface ServedModel {
  readonly id: string;
  readonly name: string;
  /** Agent of the chain; undefined for the configured chain. */
  readonly component: Component | undefined;
}

/** Creates one model per agent in `texts`, or one for the configured chain. Throws if two models have the same id. */
export function servedModels(texts: readonly string[]): readonly ServedModel[] {
  if (texts.length === 0) return [{ id: "symposium", name: "Symposium", component: undefined }];
  const models = texts.map(toModel);
  const repeated = models.find(({ id }, index) => models.findIndex((model) => model.id === id) !== index);
  if (!repeated) return models;
  throw invalidArguments(`--agent names "${repeated.id}" twice.`, "Name each agent once.");
}

function toModel(text: string): ServedModel {
  const component = readAgentText(text);
  const id = component.kind === "name" ? canonicalAgentId(component.name) : component.name;
  const known = knownAgents(isOnPath).find((agent) => agent.id === id);
  return { id, name: `Symposium: ${known?.name ?? component.name}`, component };
}

/**
 * Prepares the chains behind the models; each starts on its first request. Rejects if no agent is configured or a component can't be
 * resolved.
 */
export async function openAgents(
  models: readonly ServedModel[],
  config: Config | undefined,
  environment: Environment,
): Promise<readonly ServedAgent[]> {
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

/** Creates new proxies for each chain, since proxies contain the state of one chain. */
function opener(plan: ChainPlan, config: Config | undefined, environment: Environment): OpenAgent {
  return async (client, proxy, onFailure) => {
    const entries = config?.proxies ?? defaultExtensions.map((name) => ({ name, enabled: true }));
    const configured = await proxiesOfConfig(entries, environment);
    const proxies = [{ kind: "proxy", proxy } as const, ...configured];
    environment.logger.info("a chain starts", { proxies: proxies.map(nameOf).join(",") });
    return openChain({ ...plan, proxies }, environment, client, { onFailure: ({ message }) => onFailure(message) });
  };
}
