import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import type { InformationResult, ModelInformation } from "@symposium-dev/core";
import { elizaId } from "../agents/agent-choices.js";

const modelSchema = z.looseObject({
  id: z.string().check(z.minLength(1)),
  name: z.string(),
  family: z.string(),
  version: z.string(),
  maxInputTokens: z.number().check(z.positive()),
  maxOutputTokens: z.number().check(z.positive()),
  tooltip: z.optional(z.string()),
  detail: z.optional(z.string()),
  capabilities: z.object({ toolCalling: z.union([z.boolean(), z.number()]), imageInput: z.boolean() }),
  agentId: z.string(),
  configOptions: z.optional(z.record(z.string(), z.string())),
});
const problemSchema = z.object({ agentId: z.string(), message: z.string() });

function readModels(value: unknown): ModelInformation[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((model: unknown) => {
    const { success, data } = modelSchema.safeParse(model);
    return success ? [data as ModelInformation] : [];
  });
}

export function readInformation(value: unknown): InformationResult {
  const { models, problems } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const read = z.array(problemSchema).safeParse(problems);
  return { models: readModels(models), ...(read.success ? { problems: read.data } : {}) };
}

interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export interface OfferedSettings {
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly currentId: string | undefined;
  /** Agent ids in the setting `symposium.languageModelAgents`. */
  readonly chosen: readonly string[];
}

interface Remembered {
  readonly name?: string;
  readonly models?: readonly ModelInformation[];
  /** True once the agent was started with the user's consent. */
  readonly isUsed?: boolean;
}

const memoryKey = "symposium.languageModels";
/** Default token limits until the agent reports its own. */
const contextTokens = { maxInputTokens: 168_000, maxOutputTokens: 32_000 };

export class ModelCatalogue {
  #remembered: ReadonlyMap<string, Remembered>;

  constructor(
    private readonly settings: () => OfferedSettings,
    private readonly memory: Memory,
    private readonly changed: () => void,
  ) {
    this.#remembered = readMemory(memory.get(memoryKey));
  }

  get agents(): readonly { readonly id: string; readonly name: string }[] {
    const { agents, currentId, chosen } = this.settings();
    const own = [...agents.map(({ id }) => id), ...(currentId === undefined ? [] : [currentId])];
    const ids = chosen.length > 0 ? chosen : own.length > 0 ? own : [elizaId];
    return [...new Set(ids)].map((id) => ({ id, name: this.#nameOf(id, agents) }));
  }

  get models(): readonly ModelInformation[] {
    return this.agents.flatMap(({ id, name }) => {
      const told = this.#remembered.get(id)?.models ?? [];
      return told.length > 0 ? told : [plainModel(id, name)];
    });
  }

  /**
   * Returns a model by id. Also finds models that the agent renamed while a chat still uses them, and the current agent's model, which the
   * chat participant uses even if it isn't offered.
   */
  find(modelId: string): ModelInformation | undefined {
    const listed = this.models.find(({ id }) => id === modelId);
    if (listed) return listed;
    const { agents, currentId } = this.settings();
    const current = currentId === undefined ? [] : [{ id: currentId, name: this.#nameOf(currentId, agents) }];
    const known = [...this.agents, ...current];
    const agent = known.find(({ id }) => id === modelId || modelId.startsWith(`${id}/`));
    return agent && { ...plainModel(agent.id, agent.name), id: modelId };
  }

  isUsed(agentId: string): boolean {
    return this.#remembered.get(agentId)?.isUsed === true;
  }

  async noteUse(agentId: string, name: string): Promise<void> {
    await this.#remember(agentId, { name, isUsed: true });
  }

  /**
   * Stores the models that agents reported; an agent without a report keeps its earlier models. With `isHearsay` (the report isn't the
   * agent's own), a report without choices doesn't replace known choices.
   */
  async learn(models: readonly ModelInformation[], isHearsay = false): Promise<void> {
    for (const agentId of new Set(models.map((model) => model.agentId))) {
      const told = models.filter((model) => model.agentId === agentId);
      const known = this.#remembered.get(agentId)?.models ?? [];
      if (isHearsay && known.some(isChoice) && !told.some(isChoice)) continue;
      await this.#remember(agentId, { models: told });
    }
  }

  async learnNames(agents: readonly { readonly id: string; readonly name: string }[]): Promise<void> {
    const offered = new Set(this.agents.map(({ id }) => id));
    for (const { id, name } of agents) if (offered.has(id)) await this.#remember(id, { name });
  }

  async #remember(agentId: string, news: Remembered): Promise<void> {
    // Read the stored models again, because another window may have written them.
    const remembered = readMemory(this.memory.get(memoryKey));
    const known = remembered.get(agentId) ?? {};
    const next = { ...known, ...news };
    if (isDeepStrictEqual(known, next)) return;
    this.#remembered = new Map([...remembered, [agentId, next]]);
    this.changed();
    await this.memory.update(memoryKey, Object.fromEntries(this.#remembered));
  }

  #nameOf(id: string, agents: OfferedSettings["agents"]): string {
    const own = agents.find((agent) => agent.id === id)?.name;
    return own ?? this.#remembered.get(id)?.name ?? (id === elizaId ? "Eliza" : id);
  }
}

function isChoice({ configOptions }: ModelInformation): boolean {
  return configOptions !== undefined;
}

function plainModel(id: string, name: string): ModelInformation {
  return {
    id,
    name,
    family: "symposium",
    version: "1.0.0",
    ...contextTokens,
    capabilities: { toolCalling: true, imageInput: false },
    agentId: id,
  };
}

function readMemory(value: unknown): ReadonlyMap<string, Remembered> {
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(
    Object.entries(value as Readonly<Record<string, Readonly<Record<string, unknown>> | null>>).map(([id, entry]) => {
      const models = readModels(entry?.["models"]);
      const name = entry?.["name"];
      return [
        id,
        {
          ...(typeof name === "string" ? { name } : {}),
          ...(models.length > 0 ? { models } : {}),
          ...(entry?.["isUsed"] === true ? { isUsed: true } : {}),
        },
      ];
    }),
  );
}
