import type { AgentConnection, AgentTraits } from "../agent-connection.js";
import { setModelKey } from "../model-session.js";
import { asObject, type Members, objectsOf } from "../../base/rpc/json.js";
import { nothingToCancel } from "../../base/rpc/peer.js";
import type { AskedAgent } from "./read-params.js";
import type { ModelInformation } from "./wire.js";

type ConfigOptions = Readonly<Record<string, string>>;
interface ModelChoice {
  /** Config option that selects the model, or {@link setModelKey}. */
  readonly configId: string;
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

interface LearnedModels {
  readonly traits: AgentTraits;
  readonly choices: readonly ModelChoice[];
}

/**
 * Default context size in tokens for agents that don't report one: large enough that the agent summarizes the conversation before the
 * editor does.
 */
const usualContext = 200_000;
const outputTokens = 16_384;

export class ModelMemory {
  readonly #learned = new Map<string, LearnedModels>();
  /** Context sizes in tokens, by agent and model options. Not by process, since an agent may run one process per chat. */
  readonly #contexts = new Map<string, number>();

  /** Returns whether this agent version has been queried. */
  knows(key: string, { version }: AgentTraits): boolean {
    const learned = this.#learned.get(key);
    return learned !== undefined && learned.traits.version === version;
  }

  learn(key: string, learned: LearnedModels): void {
    this.#learned.set(key, learned);
  }

  noteContext(key: string, configOptions: ConfigOptions, size: number): void {
    this.#contexts.set(contextKey(key, configOptions), size);
  }

  /** Returns an agent's models: the agent's default model, and each model that can be selected. */
  models(agent: AskedAgent, key: string): readonly ModelInformation[] {
    const learned = this.#learned.get(key);
    const shared = {
      family: agent.id,
      version: learned?.traits.version ?? "1",
      capabilities: { toolCalling: true, imageInput: learned?.traits.takesImages ?? false },
      agentId: agent.id,
    };
    const own: ModelInformation = { ...shared, ...this.#limits(key, {}), id: agent.id, name: agent.name };
    const others = (learned?.choices ?? []).map(({ configId, value, name, description }): ModelInformation => ({
      ...shared,
      ...this.#limits(key, { [configId]: value }),
      id: `${agent.id}/${value}`,
      name: `${agent.name}: ${name}`,
      ...(description !== undefined && { tooltip: description }),
      configOptions: { [configId]: value },
    }));
    return [own, ...others];
  }

  #limits(key: string, configOptions: ConfigOptions): Pick<ModelInformation, "maxInputTokens" | "maxOutputTokens"> {
    const context = this.#contexts.get(contextKey(key, configOptions)) ?? usualContext;
    const maxOutputTokens = Math.min(outputTokens, Math.floor(context / 4));
    return { maxInputTokens: context - maxOutputTokens, maxOutputTokens };
  }
}

function contextKey(key: string, configOptions: ConfigOptions): string {
  return JSON.stringify([key, Object.entries(configOptions).sort()]);
}

/** Queries an agent with a temporary session. Rejects with a `ModelFailure`. */
export async function askedModels(connection: AgentConnection, cwd: string): Promise<LearnedModels> {
  const listener = {
    update: () => undefined,
    permission: (_params: unknown, answer: (result: unknown) => void) => {
      answer({ outcome: { outcome: "cancelled" } });
      return nothingToCancel;
    },
  };
  const session = await connection.openSession(listener, { cwd });
  void session.close(0);
  return learntFrom(connection, session.opened);
}

export function learntFrom(connection: AgentConnection, result: Readonly<Record<string, unknown>>): LearnedModels {
  return { traits: connection.traits, choices: modelChoices(result) };
}

/** Returns the models in the response that opens a session: from the config options, or else from ACP's older `models` member. */
function modelChoices(result: Members): readonly ModelChoice[] {
  const configOptions = objectsOf(result["configOptions"]).filter(({ category }) => category === "model");
  const chosen = configOptions.flatMap(({ id, options }) =>
    typeof id === "string" ? flattened(options).flatMap((option) => choiceOf(id, option, "value")) : [],
  );
  if (chosen.length > 0) return chosen;
  const models = objectsOf(asObject(result["models"])?.["availableModels"]);
  return models.flatMap((model) => choiceOf(setModelKey, model, "modelId"));
}

function choiceOf(configId: string, option: Members, key: string): readonly ModelChoice[] {
  const { [key]: value, name, description } = option;
  if (typeof value !== "string" || value === "") return [];
  return [
    {
      configId,
      value,
      name: typeof name === "string" ? name : value,
      ...(typeof description === "string" && { description }),
    },
  ];
}

/** Flattens the options of a config option, which can be listed singly or in groups. */
function flattened(options: unknown): readonly Members[] {
  return objectsOf(options).flatMap((option) =>
    Array.isArray(option["options"]) ? objectsOf(option["options"]) : [option],
  );
}
