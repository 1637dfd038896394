import {
  AgentRefusal,
  type LmMessage,
  type LmPart,
  type LmTool,
  messageOf,
  type ModelInformation,
  type OfferedAgent,
  type ResponseParams,
  type ResponseResult,
  rpcErrorCodes,
  SymposiumError,
} from "@symposium-dev/core";
import { exposureOf } from "../settings/model-tools-setting.js";
import type { Settings } from "../settings/settings-table.js";
import type { ModelCatalogue } from "./model-catalogue.js";
import type { ModelService } from "./model-service.js";

/** One request to a model, in the words of the wire. */
interface ModelRequest {
  readonly modelId: string;
  readonly messages: readonly LmMessage[];
  readonly tools?: readonly LmTool[];
  readonly toolMode?: "auto" | "required";
  readonly conversationId?: string;
  readonly initiator?: string;
  /** Overrides the setting. */
  readonly exposure?: ResponseParams["exposure"];
}

/** How an agent starts now. */
interface PreparedAgent {
  readonly name: string;
  /** What the command's `--agent` takes. */
  readonly spec: string;
}

interface ModelRequestsOptions {
  readonly catalogue: ModelCatalogue;
  readonly service: ModelService;
  readonly settings: () => Settings;
  /** Absolute path: the working folder of new sessions. */
  readonly folder: () => string;
  /** Finds out how an agent starts, and gets the consent that it needs. Rejects with what to tell the user. */
  readonly prepare: (agentId: string, folder: string) => Promise<PreparedAgent>;
  /** A failure that the one who asks need not hear of. */
  readonly onProblem: (thrown: unknown) => void;
}

/** Requests to the models, from finding the agent to remembering what it has told of itself. */
export class ModelRequests {
  /** Agents that were asked for their models in this window. */
  readonly #asked = new Set<string>();

  constructor(private readonly options: ModelRequestsOptions) {}

  /** Resolves when the answer is whole, or cancelled. Rejects with what to tell the user. */
  async respond(request: ModelRequest, part: (part: LmPart) => void, signal: AbortSignal): Promise<ResponseResult> {
    const { catalogue, service, prepare } = this.options;
    const model = catalogue.find(request.modelId);
    if (!model) throw unknownModel(request.modelId);
    const folder = this.options.folder();
    const agent = await prepare(model.agentId, folder);
    if (signal.aborted) return { stopReason: "cancelled" };
    await catalogue.noteUse(model.agentId, agent.name);
    const params = this.#params(request, model, agent, folder);
    const result = await service.respond(params, part, signal).catch((thrown: unknown) => {
      throw thrown instanceof AgentRefusal && thrown.code === rpcErrorCodes.authRequired
        ? signedOut(agent.name)
        : thrown;
    });
    this.#learnLater(model.agentId, agent, folder);
    return result;
  }

  /**
   * Starts agents to learn their models; `agentIds` are those that the user has agreed to start. Resolves to what went
   * wrong, a sentence each.
   */
  async refresh(agentIds: readonly string[], signal?: AbortSignal): Promise<readonly string[]> {
    const { catalogue, service, prepare } = this.options;
    const folder = this.options.folder();
    const agents: OfferedAgent[] = [];
    const failures: string[] = [];
    for (const id of agentIds) {
      try {
        const { name, spec } = await prepare(id, folder);
        await catalogue.noteUse(id, name);
        agents.push({ id, name, agent: spec });
      } catch (thrown) {
        failures.push(messageOf(thrown));
      }
    }
    if (agents.length === 0) return failures;
    const params = { silent: false, agents, folder, ...this.#servers() };
    const { models, problems = [] } = await service.information(params, signal);
    await catalogue.learn(models);
    return [...failures, ...problems.map(({ agentId, message }) => `${nameOf(agents, agentId)}: ${message}`)];
  }

  #params(request: ModelRequest, model: ModelInformation, agent: PreparedAgent, folder: string): ResponseParams {
    const { modelId, messages, tools = [], toolMode, conversationId, initiator, exposure } = request;
    const { languageModelExposure, languageModelSystemPrompt } = this.options.settings();
    return {
      modelId,
      agent: agent.spec,
      messages,
      options: { ...(tools.length > 0 ? { tools } : {}), ...(toolMode === undefined ? {} : { toolMode }) },
      ...(conversationId === undefined ? {} : { conversationId }),
      ...(initiator === undefined ? {} : { initiator }),
      folder,
      exposure: exposure ?? exposureOf(languageModelExposure, modelId, model.agentId),
      ...(languageModelSystemPrompt === "auto" ? {} : { systemPrompt: languageModelSystemPrompt }),
      ...(model.configOptions === undefined ? {} : { configOptions: model.configOptions }),
      ...this.#servers(),
    };
  }

  #servers(): Pick<ResponseParams, "mcpServers"> {
    const { mcpServers } = this.options.settings();
    return Object.keys(mcpServers).length === 0 ? {} : { mcpServers };
  }

  /** An agent that runs has told its models already: nothing is started for them. */
  #learnLater(id: string, { name, spec }: PreparedAgent, folder: string): void {
    if (this.#asked.has(id)) return;
    this.#asked.add(id);
    const { catalogue, service, onProblem } = this.options;
    service
      .information({ silent: true, agents: [{ id, name, agent: spec }], folder })
      .then(({ models }) => catalogue.learn(models, true))
      .catch(onProblem);
  }
}

function nameOf(agents: readonly { readonly id: string; readonly name: string }[], id: string): string {
  return agents.find((agent) => agent.id === id)?.name ?? id;
}

function signedOut(name: string): SymposiumError {
  return new SymposiumError(
    "component-start-failed",
    `${name} wants you to sign in.`,
    'Open a chat of Symposium with it ("Symposium: New Chat"), sign in there, and ask again.',
  );
}

/** An empty id is what is asked for where the user has neither a model of ours nor an agent. */
function unknownModel(id: string): SymposiumError {
  if (id === "") {
    return new SymposiumError(
      "unknown-agent",
      "No agent is chosen yet.",
      'Choose one with "Symposium: Select Agent", and ask again.',
    );
  }
  return new SymposiumError(
    "unknown-agent",
    `There is no model "${id}" any more.`,
    'Choose another one, or offer its agent again with "Symposium: Manage Language Models".',
  );
}
