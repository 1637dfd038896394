import * as l10n from "@vscode/l10n";
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

interface ModelRequest {
  readonly modelId: string;
  readonly messages: readonly LmMessage[];
  readonly tools?: readonly LmTool[];
  readonly toolMode?: "auto" | "required";
  readonly conversationId?: string;
  readonly initiator?: string;
  readonly exposure?: ResponseParams["exposure"];
}

interface PreparedAgent {
  readonly name: string;
  readonly spec: string;
}

interface ModelRequestsOptions {
  readonly catalogue: ModelCatalogue;
  readonly service: ModelService;
  readonly settings: () => Settings;
  /** Absolute working folder for new sessions. */
  readonly folder: () => string;
  /** Returns how an agent starts, after asking the user for consent if needed. Rejects with a message for the user. */
  readonly prepare: (agentId: string, folder: string) => Promise<PreparedAgent>;
  readonly onProblem: (thrown: unknown) => void;
}

export class ModelRequests {
  readonly #asked = new Set<string>();

  constructor(private readonly options: ModelRequestsOptions) {}

  /** Resolves when the response is complete or cancelled. Rejects with a message for the user. */
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
      throw withSignIn(thrown, agent.name);
    });
    this.#learnLater(model.agentId, agent, folder);
    return result;
  }

  /** Starts agents to learn their models; the user must have agreed to start `agentIds`. Returns one sentence per failure. */
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

  /** Stores the models of an agent that is already running. Starts no process. */
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

/** Returns the error to throw: how to sign in, if the agent refused for want of a sign-in. */
export function withSignIn(thrown: unknown, name: string): unknown {
  if (!(thrown instanceof AgentRefusal) || thrown.code !== rpcErrorCodes.authRequired) return thrown;
  const hint = l10n.t('Open a Symposium chat with it ("Symposium: New Chat"), sign in there, and try again.');
  return new SymposiumError("sign-in-failed", l10n.t("{0} wants you to sign in.", name), hint);
}

/** The id is empty if the user has neither selected a model nor an agent. */
function unknownModel(id: string): SymposiumError {
  if (id === "") {
    return new SymposiumError(
      "unknown-agent",
      l10n.t("No agent is selected."),
      l10n.t('Choose one with "Symposium: Select Agent", and try again.'),
    );
  }
  return new SymposiumError(
    "unknown-agent",
    l10n.t('The model "{0}" is no longer available.', id),
    l10n.t('Choose another one, or offer its agent again with "Symposium: Manage Language Models".'),
  );
}
