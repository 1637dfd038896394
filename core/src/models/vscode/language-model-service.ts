import type { QuirksOf } from "../agent-connection.js";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import type { AnswerSink } from "../answer-sink.js";
import type { ModelAnswer, ModelListener, ModelRequest } from "../model-request.js";
import type { AskUser } from "../session-permissions.js";
import { SessionRegistry } from "../answer-model-requests.js";
import { askedModels, learntFrom, ModelMemory } from "./model-memory.js";
import { type AgentStart, chainKey, type ChainOpener } from "./agent-to-start.js";
import type { InformationRequest, ResponseRequest } from "./read-params.js";
import {
  agentActionTool,
  type EditorServers,
  type InformationResult,
  type LmPart,
  type ResponseResult,
} from "./wire.js";

export const editorToolsName = "vscode_tools";

interface LanguageModelServiceOptions {
  readonly opener: ChainOpener;
  /** Absolute working folder for sessions without a folder from the editor. */
  readonly emptyFolder: string;
  readonly version: string;
  readonly quirksOf: QuirksOf;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface LmListener {
  emit(part: LmPart): void;
  readonly askUser: AskUser;
}

/** Milliseconds that an unused session stays open, and that a session waits for a tool result. The user may need time to decide. */
const idleMs = 60 * 60_000;
const awaitingMs = 12 * 60 * 60_000;

/** Uses agents as language models of an editor; translates between the extension's wire protocol and the session registry. */
export class LanguageModelService implements AsyncDisposable {
  readonly #registry: SessionRegistry;
  readonly #memory = new ModelMemory();
  readonly #learning = new Map<string, Promise<void>>();

  constructor(private readonly options: LanguageModelServiceOptions) {
    const { version, logger, now, quirksOf } = options;
    const instructions =
      "Tools of the editor that the user works in. The editor runs them, shows what they do and asks the user itself.";
    this.#registry = new SessionRegistry({
      client: {
        name: "symposium-vscodelm",
        version,
        noun: "editor",
        toolServer: { name: editorToolsName, instructions },
      },
      idleMs,
      awaitingMs,
      closesCancelled: false,
      quirksOf,
      logger,
      now,
    });
  }

  /** Returns the agents' models; a silent request starts no agent. Reports failing agents in `problems`. */
  async information({ agents, isSilent, folder, mcpServers }: InformationRequest): Promise<InformationResult> {
    const problems: { agentId: string; message: string }[] = [];
    const models = await Promise.all(
      agents.map(async (agent) => {
        try {
          if (!isSilent) await this.#learn(agent.agent, mcpServers, folder);
        } catch (failure) {
          problems.push({ agentId: agent.id, message: messageOf(failure) });
        }
        return this.#memory.models(agent, chainKey(agent.agent, false));
      }),
    );
    return { models: models.flat(), ...(problems.length > 0 && { problems }) };
  }

  /**
   * Emits the answer until its end, or until it calls the editor's tools. When `signal` aborts, stops the agent and returns immediately.
   * Rejects with the agent's failure.
   */
  async answer(request: ResponseRequest, listener: LmListener, signal: AbortSignal): Promise<ResponseResult> {
    const key = chainKey(request.agent, false);
    const model: ModelListener = {
      sink: toSink(listener),
      askUser: listener.askUser,
      onOpened: (connection, result) => {
        if (!this.#memory.knows(key, connection.traits)) this.#memory.learn(key, learntFrom(connection, result));
      },
      closingWords,
    };
    const answer = await this.#registry.answer(toModelRequest(request, this.options), model, signal);
    if (answer.context) this.#memory.noteContext(key, request.configOptions, answer.context.size);
    const usage = usagePart(answer);
    if (usage && answer.stopReason !== "cancelled") listener.emit(usage);
    return { stopReason: answer.stopReason };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
  }

  /** Queries an agent for its models unless known; concurrent callers share one query. */
  #learn(agent: AgentStart, mcpServers: EditorServers | undefined, folder = this.options.emptyFolder): Promise<void> {
    const key = chainKey(agent, false);
    const ask = async (): Promise<void> => {
      const connection = await this.#registry.connect(toAgent({ agent, mcpServers }, false, this.options.opener));
      if (!this.#memory.knows(key, connection.traits)) {
        this.#memory.learn(key, await askedModels(connection, folder));
      }
    };
    const learning = this.#learning.get(key) ?? ask().finally(() => this.#learning.delete(key));
    this.#learning.set(key, learning);
    return learning;
  }
}

/**
 * Returns the requested agent. If the editor's MCP servers differ, returns an agent with its own process; sessions that are already open
 * don't move to the new process.
 */
function toAgent(
  { agent, mcpServers }: Pick<ResponseRequest, "agent" | "mcpServers">,
  isRaw: boolean,
  opener: ChainOpener,
): ModelRequest["agent"] {
  const chain = chainKey(agent, isRaw);
  if (isRaw || mcpServers === undefined) return { key: chain, open: opener(agent, isRaw) };
  return { key: JSON.stringify([chain, mcpServers]), open: opener(agent, isRaw, mcpServers) };
}

function toModelRequest(request: ResponseRequest, { opener, emptyFolder }: LanguageModelServiceOptions): ModelRequest {
  const { exposure, folder, tools, messages, systemText, systemPromptUse, isToolRequired } = request;
  const { conversationId, initiator, configOptions } = request;
  const isRaw = exposure === "raw";
  return {
    agent: toAgent(request, isRaw, opener),
    sessionKey: JSON.stringify([chainKey(request.agent, isRaw), exposure, folder ?? ""]),
    cwd: folder ?? emptyFolder,
    messages,
    systemText,
    systemPromptUse,
    tools: exposure === "agent" ? [] : tools.filter(({ name }) => name !== agentActionTool),
    bringsTools: tools.length > 0,
    clientAlwaysBringsTools: true,
    isToolRequired,
    hasParallelCalls: true,
    stop: [],
    permissions: isRaw ? "client-tools" : "ask",
    permissionTool: tools.some(({ name }) => name === agentActionTool) ? agentActionTool : undefined,
    requiresImages: false,
    conversationId,
    initiator,
    configOptions,
  };
}

function toSink(listener: LmListener): AnswerSink {
  return {
    content: (value) => listener.emit({ type: "text", value }),
    reasoning: (value) => listener.emit({ type: "thinking", value }),
    image: (mimeType, data) => listener.emit({ type: "data", mimeType, data }),
    toolCall: ({ id, name, args }) =>
      listener.emit({ type: "tool_call", toolCallId: id, toolName: name, parameters: args }),
  };
}

/** Explains an empty or truncated answer, since editors treat an empty one as a failure. */
function closingWords(text: string, stopReason: string): string {
  if (text.trim() === "") return `The agent ended its turn without an answer: ${stopReason}.`;
  return stopReason === "end_turn" ? "" : `\n\n[The agent stopped here: ${stopReason}.]`;
}

function usagePart({ usage, context }: ModelAnswer): LmPart | undefined {
  const { inputTokens, outputTokens } = usage ?? {};
  const part = {
    type: "usage",
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(context && { contextUsed: context.used, contextSize: context.size }),
  } as const;
  return Object.keys(part).length > 1 ? part : undefined;
}
