import { linkedSignal } from "../../base/linked-signal.js";
import type { Logger } from "../../base/logger.js";
import type { OpenAgent, QuirksOf } from "../agent-connection.js";
import type { AnswerSink, CalledTool } from "../answer-sink.js";
import { normalisedMessages } from "../conversation-message.js";
import type { ModelAnswer, ModelRequest } from "../model-request.js";
import type { PermissionPolicy } from "../session-permissions.js";
import { SessionRegistry } from "../answer-model-requests.js";
import type { AnswerFormat } from "./answer-format.js";
import type { AnswerEnd, FinishReason } from "./chat-completion.js";
import type { ChatMessage } from "./chat-message.js";
import type { ChatRequest } from "./chat-request.js";
import { ErrorResponse, toErrorResponse } from "./error-response.js";

const clientToolsName = "client_tools";

export interface ServedAgent {
  readonly id: string;
  readonly name: string;
  readonly open: OpenAgent;
}

interface ChatServiceOptions {
  readonly agents: readonly ServedAgent[];
  /** Permission policy; only policies that ask nothing are possible, since no user is present. */
  readonly policy: Extract<PermissionPolicy, "deny" | "allow-reads">;
  readonly cwd: string;
  readonly version: string;
  readonly quirksOf: QuirksOf;
  readonly logger?: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Maximum number and lifetime of idle sessions. Many agents use hundreds of megabytes per session, and most clients start a conversation
 * with each request. A later turn opens a new session if needed.
 */
const mostIdle = 8;
const idleMs = 5 * 60_000;
/** Maximum number of attempts for an answer in a format. */
const mostAttempts = 3;
/** Milliseconds that a session waits for a tool result. */
const awaitingMs = 30 * 60_000;

export class ChatService implements AsyncDisposable {
  readonly #registry: SessionRegistry;

  constructor(private readonly options: ChatServiceOptions) {
    const { version, logger, now, quirksOf } = options;
    const instructions =
      "Tools of the program that the user works in. Use them to see and change what the user sees there.";
    this.#registry = new SessionRegistry({
      client: {
        name: "symposium-openai",
        version,
        noun: "client",
        toolServer: { name: clientToolsName, instructions },
      },
      mostIdle,
      idleMs,
      awaitingMs,
      closesCancelled: true,
      quirksOf,
      ...(logger && { logger }),
      now,
    });
  }

  get models(): readonly ServedAgent[] {
    return this.options.agents;
  }

  /**
   * Streams the answer into `sink`. Rejects with an `ErrorResponse`; after an abort, stops the agent and rejects with the signal's reason.
   */
  async answer(request: ChatRequest, sink: AnswerSink, signal: AbortSignal): Promise<AnswerEnd> {
    try {
      return answerEndOf(await this.#answerIn(request.format, request, sink, signal));
    } catch (failure) {
      throw toErrorResponse(failure);
    }
  }

  /** Asks the agent for an answer in the requested format, up to `mostAttempts` times. */
  async #answerIn(
    format: AnswerFormat | undefined,
    request: ChatRequest,
    sink: AnswerSink,
    signal: AbortSignal,
    attempts = 1,
  ): Promise<ModelAnswer> {
    if (!format) return this.#ask(request, sink, signal);
    let text = "";
    const kept: AnswerSink = {
      content: (piece) => (text += piece),
      reasoning: (piece) => sink.reasoning(piece),
      toolCall: (call) => sink.toolCall(call),
    };
    const answer = await this.#ask(request, kept, signal);
    if (answer.stopReason !== "end_turn") {
      if (text !== "") sink.content(text);
      return answer;
    }
    const read = format.read(text);
    if ("json" in read) {
      sink.content(read.json);
      return answer;
    }
    if (attempts === mostAttempts) {
      const message = `The agent's answer didn't match the format in ${attempts} attempts. ${read.problem}`;
      throw new ErrorResponse(502, "invalid_answer", message);
    }
    const again = `This answer cannot be used. ${read.problem}\n\n${format.instruction}`;
    const messages: readonly ChatMessage[] = [
      ...request.messages,
      { role: "assistant", parts: [{ kind: "text", text }] },
      { role: "user", parts: [{ kind: "text", text: again }] },
    ];
    return this.#answerIn(format, { ...request, messages }, sink, signal, attempts + 1);
  }

  async #ask(request: ChatRequest, sink: AnswerSink, signal: AbortSignal): Promise<ModelAnswer> {
    const { mostCharacters } = request;
    const limited = mostCharacters === undefined ? undefined : new LimitedSink(sink, mostCharacters);
    using either = linkedSignal(limited ? [signal, limited.reached] : [signal]);
    const modelRequest = this.#toModelRequest(request);
    const answer = await this.#registry.answer(modelRequest, { sink: limited ?? sink }, either.signal);
    if (limited?.reached.aborted === true && !signal.aborted) return { stopReason: "max_tokens" };
    if (answer.stopReason === "cancelled" && signal.aborted) {
      throw signal.reason instanceof Error ? signal.reason : new Error("The client disconnected.");
    }
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
  }

  #toModelRequest({ model, messages, tools, hasParallelCalls, stop, format }: ChatRequest): ModelRequest {
    const { open } = this.#agent(model);
    return {
      agent: { key: model, open },
      sessionKey: model,
      cwd: this.options.cwd,
      messages: normalisedMessages(messages.flatMap(({ role, parts }) => (role === "system" ? [] : [{ role, parts }]))),
      systemText: [
        ...messages.flatMap((message) => (message.role === "system" ? [textOfMessage(message)] : [])),
        ...(format ? [format.instruction] : []),
      ].join("\n\n"),
      systemPromptUse: "pass",
      tools,
      bringsTools: tools.length > 0,
      clientAlwaysBringsTools: false,
      isToolRequired: false,
      hasParallelCalls,
      stop,
      permissions: this.options.policy,
      permissionTool: undefined,
      requiresImages: true,
      conversationId: undefined,
      initiator: undefined,
      configOptions: {},
    };
  }

  #agent(model: string): ServedAgent {
    const agent = this.options.agents.find(({ id }) => id === model);
    if (agent) return agent;
    const ids = this.options.agents.map(({ id }) => id).join(", ");
    throw new ErrorResponse(404, "model_not_found", `There is no model "${model}". Available models: ${ids}.`, "model");
  }
}

function textOfMessage({ parts }: ChatMessage): string {
  return parts.map((part) => (part.kind === "text" ? part.text : part.kind === "link" ? part.url : "[image]")).join("");
}

function answerEndOf({ stopReason, usage }: ModelAnswer): AnswerEnd {
  const finishReason = finishReasons[stopReason] ?? "stop";
  const { inputTokens: input, outputTokens: output, totalTokens: total } = usage ?? {};
  if (input === undefined || output === undefined) return { finishReason };
  const tokens = { prompt_tokens: input, completion_tokens: output, total_tokens: total ?? input + output };
  return { finishReason, usage: tokens };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  max_tokens: "length",
  max_turn_requests: "length",
  refusal: "content_filter",
  tool_calls: "tool_calls",
};

/** Forwards an answer up to a number of UTF-16 units without splitting a character. */
class LimitedSink implements AnswerSink {
  readonly #reached = new AbortController();

  constructor(
    private readonly sink: AnswerSink,
    private left: number,
  ) {}

  get reached(): AbortSignal {
    return this.#reached.signal;
  }

  content(text: string): void {
    if (this.reached.aborted) return;
    const passed = text.length > this.left ? text.slice(0, this.left).replace(/[\ud800-\udbff]$/, "") : text;
    this.left -= text.length;
    if (passed !== "") this.sink.content(passed);
    if (this.left < 0) this.#reached.abort();
  }

  reasoning(text: string): void {
    if (!this.reached.aborted) this.sink.reasoning(text);
  }

  toolCall(call: CalledTool): void {
    if (!this.reached.aborted) this.sink.toolCall(call);
  }
}
