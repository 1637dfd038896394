import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import {
  type CancellationToken,
  EventEmitter,
  type LanguageModelChatInformation,
  type LanguageModelChatProvider,
  type LanguageModelChatRequestMessage,
  LanguageModelChatToolMode,
  type LanguageModelResponsePart,
  type Progress,
  type ProvideLanguageModelChatResponseOptions,
} from "vscode";
import { messageOf, type ModelInformation, SymposiumError } from "@symposium-dev/core";
import type { Logger } from "../log/logger.js";
import type { Settings } from "../settings/settings-table.js";
import { abortSignalOf } from "./participant.js";
import type { ModelCatalogue } from "./model-catalogue.js";
import type { ModelRequests } from "./model-requests.js";
import { type PartClasses, toMessages, toTools } from "./request-parts.js";
import { ResponseParts, type Usage } from "./response-parts.js";
import { TokenCounts } from "./token-counts.js";

interface ModelProviderOptions {
  readonly catalogue: ModelCatalogue;
  readonly requests: ModelRequests;
  readonly settings: () => Settings;
  readonly refresh: () => Promise<void>;
  /** Called after each answered request. `estimate` returns the approximate token count of its messages. */
  readonly answered: (model: ModelInformation, usage: Usage | undefined, estimate: () => number) => void;
  readonly logger: Logger;
}

const builtInChat = "github.copilot-chat";

export class ModelProvider implements LanguageModelChatProvider {
  readonly #changed = new EventEmitter<void>();
  readonly #counts = new TokenCounts();
  readonly #classes = vscodePartClasses();
  readonly #skipped = new Set<string>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;

  constructor(private readonly options: ModelProviderOptions) {}

  changed(): void {
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async provideLanguageModelChatInformation({ silent }: { silent: boolean }): Promise<LanguageModelChatInformation[]> {
    const { catalogue, refresh } = this.options;
    if (!silent) await refresh();
    const names = new Map(catalogue.agents.map(({ id, name }) => [id, name]));
    return catalogue.models.map((model) => informationOf(model, names.get(model.agentId) ?? model.agentId));
  }

  async provideLanguageModelChatResponse(
    { id: modelId }: LanguageModelChatInformation,
    messages: readonly LanguageModelChatRequestMessage[],
    { tools = [], toolMode, modelOptions, ...more }: ProvideLanguageModelChatResponseOptions,
    progress: Progress<LanguageModelResponsePart>,
    token: CancellationToken,
  ): Promise<void> {
    const { settings, requests, catalogue, answered } = this.options;
    const signal = abortSignalOf(token);
    const initiator = initiatorOf(more);
    const conversationId: unknown = modelOptions?.["_conversationId"];
    const parts = new ResponseParts({
      classes: this.#classes,
      report: (part) => progress.report(part as LanguageModelResponsePart),
      showsThinking: settings().languageModelThinking,
      readsUsage: initiator?.toLowerCase() === builtInChat,
    });
    try {
      const wire = toMessages(messages, this.#classes, (shape) => this.#skip(shape));
      const request = {
        modelId,
        messages: wire,
        tools: toTools(tools),
        toolMode: toolMode === LanguageModelChatToolMode.Required ? ("required" as const) : ("auto" as const),
        ...(typeof conversationId === "string" && conversationId !== "" ? { conversationId } : {}),
        ...(initiator === undefined ? {} : { initiator }),
      };
      const { stopReason } = await requests.respond(request, (part) => parts.add(part), signal);
      if (signal.aborted) return;
      parts.end(emptyText(stopReason));
      const model = catalogue.find(modelId);
      const estimate = (): number => wire.reduce((sum, message) => sum + this.#counts.ofMessage(message), 0);
      if (model) answered(model, parts.usage, estimate);
    } catch (thrown) {
      if (signal.aborted) return;
      // Log only the code, since agents quote prompts in error messages.
      const code = thrown instanceof SymposiumError ? thrown.code : "refused";
      this.options.logger.warn("language-model", "a request failed", { modelId, code });
      throw plainError(thrown);
    }
  }

  provideTokenCount(
    _model: LanguageModelChatInformation,
    text: string | LanguageModelChatRequestMessage,
  ): Promise<number> {
    if (typeof text === "string") return Promise.resolve(this.#counts.ofText(text));
    const [message] = toMessages([text], this.#classes, () => undefined);
    return Promise.resolve(message === undefined ? 0 : this.#counts.ofMessage(message));
  }

  #skip(shape: string): void {
    if (this.#skipped.has(shape)) return;
    this.#skipped.add(shape);
    this.options.logger.info("language-model", "skipped an unknown part of a message", { shape });
  }
}

function informationOf(model: ModelInformation, agentName: string): LanguageModelChatInformation {
  const { id, name, family, version, maxInputTokens, maxOutputTokens, capabilities, tooltip, detail } = model;
  const more = detail ?? (name.startsWith(agentName) ? undefined : agentName);
  return {
    id,
    name,
    family,
    version,
    maxInputTokens,
    maxOutputTokens,
    capabilities,
    tooltip: tooltip ?? l10n.t("{0}, an agent, through Symposium", agentName),
    ...(more === undefined ? {} : { detail: more }),
  };
}

function initiatorOf(options: object): string | undefined {
  const { requestInitiator } = options as { readonly requestInitiator?: unknown };
  // Ignore this value, because some VS Code versions report it for every extension.
  return typeof requestInitiator === "string" && requestInitiator !== "nullextensiondescription"
    ? requestInitiator
    : undefined;
}

function emptyText(stopReason: string | undefined): string {
  return stopReason === undefined
    ? l10n.t("The agent ended its turn without an answer.")
    : l10n.t("The agent ended its turn without an answer: {0}.", stopReason);
}

/** Returns an error without a stack, since the editor's chat would show the stack to the user. */
function plainError(thrown: unknown): Error {
  const error = new Error(messageOf(thrown));
  error.stack = "";
  return error;
}

/** Returns the part classes of this editor version, including ones missing from the stable types of the oldest supported version. */
function vscodePartClasses(): PartClasses {
  const { LanguageModelDataPart: data, LanguageModelThinkingPart: thinking } = vscode as unknown as LaterClasses;
  return {
    text: vscode.LanguageModelTextPart,
    toolCall: vscode.LanguageModelToolCallPart,
    ...(data === undefined ? {} : { data }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}

/** Classes that are in `vscode` since 1.106 but still proposed API in 1.140. */
interface LaterClasses {
  readonly LanguageModelDataPart?: NonNullable<PartClasses["data"]>;
  readonly LanguageModelThinkingPart?: NonNullable<PartClasses["thinking"]>;
}
