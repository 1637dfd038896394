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

/** Models from outside: of the process, or remembered by an earlier version. Those that cannot be read are left out. */
function readModels(value: unknown): ModelInformation[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((model: unknown) => {
    const { success, data } = modelSchema.safeParse(model);
    return success ? [data as ModelInformation] : [];
  });
}

/** The answer of the process, tolerantly. */
export function readInformation(value: unknown): InformationResult {
  const { models, problems } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const read = z.array(problemSchema).safeParse(problems);
  return { models: readModels(models), ...(read.success ? { problems: read.data } : {}) };
}

/** What stays over windows; VS Code's `Memento` is one. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** What the settings say about what is offered. */
export interface OfferedSettings {
  /** The user's own agents. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  /** The agent of new tabs, where the user has chosen one. */
  readonly currentId: string | undefined;
  /** `symposium.languageModelAgents`. */
  readonly chosen: readonly string[];
}

interface Remembered {
  readonly name?: string;
  readonly models?: readonly ModelInformation[];
  /** It was started with the user's consent once. */
  readonly isUsed?: boolean;
}

const memoryKey = "symposium.languageModels";
/** What an agent's model is taken to hold until its agent says, in tokens. */
const contextTokens = { maxInputTokens: 168_000, maxOutputTokens: 32_000 };

/** The models that are offered, known without asking anybody: from the settings and from what agents have told before. */
export class ModelCatalogue {
  #remembered: ReadonlyMap<string, Remembered>;

  constructor(
    private readonly settings: () => OfferedSettings,
    private readonly memory: Memory,
    /** What is offered may be different now. */
    private readonly changed: () => void,
  ) {
    this.#remembered = readMemory(memory.get(memoryKey));
  }

  /** The agents that are offered, by id and name. */
  get agents(): readonly { readonly id: string; readonly name: string }[] {
    const { agents, currentId, chosen } = this.settings();
    const own = [...agents.map(({ id }) => id), ...(currentId === undefined ? [] : [currentId])];
    const ids = chosen.length > 0 ? chosen : own.length > 0 ? own : [elizaId];
    return [...new Set(ids)].map((id) => ({ id, name: this.#nameOf(id, agents) }));
  }

  /** One model for each agent, or those that it has told. */
  get models(): readonly ModelInformation[] {
    return this.agents.flatMap(({ id, name }) => {
      const told = this.#remembered.get(id)?.models ?? [];
      return told.length > 0 ? told : [plainModel(id, name)];
    });
  }

  /**
   * A model by its id; also one that its agent has renamed while a chat still uses it, and that of the current agent,
   * which the chat participant talks to whether it is offered or not.
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

  /** Whether an agent was started with the user's consent before. */
  isUsed(agentId: string): boolean {
    return this.#remembered.get(agentId)?.isUsed === true;
  }

  async noteUse(agentId: string, name: string): Promise<void> {
    await this.#remember(agentId, { name, isUsed: true });
  }

  /**
   * Keeps what agents have told of their models; agents that told nothing keep what they had. Of an agent that was not
   * asked itself (`isHearsay`), having no models to choose from means that nobody knows.
   */
  async learn(models: readonly ModelInformation[], isHearsay = false): Promise<void> {
    for (const agentId of new Set(models.map((model) => model.agentId))) {
      const told = models.filter((model) => model.agentId === agentId);
      const known = this.#remembered.get(agentId)?.models ?? [];
      if (isHearsay && known.some(isChoice) && !told.some(isChoice)) continue;
      await this.#remember(agentId, { models: told });
    }
  }

  /** The names of agents that settings do not have, from the command's list. */
  async learnNames(agents: readonly { readonly id: string; readonly name: string }[]): Promise<void> {
    const offered = new Set(this.agents.map(({ id }) => id));
    for (const { id, name } of agents) if (offered.has(id)) await this.#remember(id, { name });
  }

  async #remember(agentId: string, news: Remembered): Promise<void> {
    // Another window may have remembered something since.
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

/** One of several that an agent lets its users choose from. */
function isChoice({ configOptions }: ModelInformation): boolean {
  return configOptions !== undefined;
}

/** The model of an agent that has told nothing yet. */
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
