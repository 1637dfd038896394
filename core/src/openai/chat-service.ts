import { AgentConnection, type OpenAgent, type SessionListener } from "./agent-connection.js";
import type { AnswerSink } from "./answer-sink.js";
import type { AnswerEnd } from "./chat-completion.js";
import type { ChatMessage } from "./chat-message.js";
import type { ChatRequest } from "./chat-request.js";
import { type CallClientTool, type CalledTool, clientToolServer } from "./client-tools.js";
import { continuedAt, type Conversation, keyOf, toolsKey, trailingResults } from "./conversation.js";
import { OpenAiFailure } from "./openai-failure.js";
import { decidePermission, type PermissionPolicy } from "./permission-policy.js";
import { promptContent } from "./prompt-content.js";
import { Turn } from "./turn.js";

/** A chain that is offered as a model. */
export interface OfferedAgent {
  readonly id: string;
  readonly name: string;
  readonly open: OpenAgent;
}

export interface ChatServiceOptions {
  readonly agents: readonly OfferedAgent[];
  readonly policy: PermissionPolicy;
  /** The working folder of every session. */
  readonly cwd: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How many sessions are kept for a conversation that may go on, and for how long. */
const mostConversations = 32;
const idleLimitMs = 30 * 60_000;
/** How long an agent may take to end a turn that was given up. */
const cancelGraceMs = 10_000;

/** Answers chat completions by agents: one ACP session a conversation, told apart by their histories. */
export class ChatService implements AsyncDisposable {
  readonly #connections = new Map<string, Promise<AgentConnection>>();
  readonly #conversations = new Set<Conversation>();

  constructor(private readonly options: ChatServiceOptions) {}

  /** What can be asked for as `model`. */
  get models(): readonly OfferedAgent[] {
    return this.options.agents;
  }

  /**
   * Tells the answer to `sink` as it comes. Rejects with an `OpenAiFailure`; when `signal` is aborted, with its reason,
   * once the agent has been told to stop.
   */
  async answer(request: ChatRequest, sink: AnswerSink, signal: AbortSignal): Promise<AnswerEnd> {
    this.#expire();
    const conversation = this.#waitingConversation(request) ?? (await this.#prompt(request));
    const { turn } = conversation;
    if (!turn) throw new OpenAiFailure(500, "internal", "The turn is gone.");
    conversation.isTold = true;
    const told = new ToldAnswer(sink);
    try {
      const end = await untilAborted(turn.next(told, request.hasParallelCalls), signal);
      conversation.keys = [...request.messages.map(keyOf), keyOf(told.message)];
      if (end.finishReason !== "tool_calls") conversation.turn = undefined;
      return end;
    } catch (failure) {
      void this.#drop(conversation);
      throw failure;
    } finally {
      conversation.isTold = false;
      conversation.usedAt = this.options.now();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connections = [...this.#connections.values()];
    this.#connections.clear();
    this.#conversations.clear();
    await Promise.all(
      connections.map(async (connecting) => (await connecting.catch(() => undefined))?.[Symbol.asyncDispose]()),
    );
  }

  /** The conversation whose agent waits for the results that the request brings; it has got them then. */
  #waitingConversation(request: ChatRequest): Conversation | undefined {
    const results = trailingResults(request);
    const ids = [...results.keys()];
    const found = [...this.#conversations].find(
      ({ turn, isTold }) => !isTold && ids.some((id) => turn?.isWaitingFor(id)),
    );
    found?.turn?.answerCalls(results);
    return found;
  }

  /** Starts a turn: in the session that knows all but the user's last words, else in a new one that is told the rest. */
  async #prompt(request: ChatRequest): Promise<Conversation> {
    const connection = await this.#connection(request.model);
    const keys = request.messages.map(keyOf);
    let known = 0;
    let conversation: Conversation | undefined;
    for (const candidate of this.#conversations) {
      const length = continuedAt(candidate, keys, request) ?? 0;
      if (length > known) [conversation, known] = [candidate, length];
    }
    const content = promptContent(request.messages.slice(known), connection.takesImages);
    const told = conversation ?? (await this.#open(connection, request));
    const turn = new Turn();
    told.turn = turn;
    turn.begin(() => connection.prompt(told.sessionId, content));
    return told;
  }

  async #open(connection: AgentConnection, request: ChatRequest): Promise<Conversation> {
    const opened: { conversation?: Conversation } = {};
    const turn = (): Turn | undefined => opened.conversation?.turn;
    const names = new Set(request.tools.map(({ name }) => name));
    const { policy, version, now } = this.options;
    const call: CallClientTool = (name, args, signal) =>
      turn()?.callTool(name, args, signal) ?? Promise.reject(new Error("No turn is open."));
    const listener: SessionListener = {
      update: (update) => turn()?.update(update),
      permission: (params) => {
        const { result, denied } = decidePermission(params, policy, names);
        if (denied !== undefined) turn()?.deny(denied);
        return result;
      },
    };
    const server = names.size === 0 ? undefined : clientToolServer(request.tools, call, version);
    const conversation: Conversation = {
      model: request.model,
      connection,
      sessionId: await connection.openSession(listener, server),
      tools: toolsKey(request),
      keys: [],
      turn: undefined,
      isTold: false,
      usedAt: now(),
    };
    opened.conversation = conversation;
    this.#conversations.add(conversation);
    return conversation;
  }

  #connection(model: string): Promise<AgentConnection> {
    const known = this.#connections.get(model);
    if (known) return known;
    const agent = this.options.agents.find(({ id }) => id === model);
    if (!agent) {
      const ids = this.options.agents.map(({ id }) => id).join(", ");
      throw new OpenAiFailure(404, "model_not_found", `There is no model "${model}". There are: ${ids}.`, "model");
    }
    const { cwd, version } = this.options;
    const connecting: Promise<AgentConnection> = AgentConnection.connect({
      open: agent.open,
      cwd,
      version,
      onFailure: () => this.#forget(model, connecting),
    });
    this.#connections.set(model, connecting);
    connecting.catch(() => this.#forget(model, connecting));
    return connecting;
  }

  /** A chain that has failed: the next request starts another one. */
  #forget(model: string, connecting: Promise<AgentConnection>): void {
    if (this.#connections.get(model) !== connecting) return;
    this.#connections.delete(model);
    for (const conversation of this.#conversations) {
      if (conversation.model === model) this.#conversations.delete(conversation);
    }
    void connecting.then((connection) => connection[Symbol.asyncDispose]()).catch(() => undefined);
  }

  #expire(): void {
    const idle = [...this.#conversations].filter(({ isTold }) => !isTold).sort((a, b) => a.usedAt - b.usedAt);
    const tooMany = this.#conversations.size - mostConversations + 1;
    const oldest = this.options.now() - idleLimitMs;
    for (const [index, conversation] of idle.entries()) {
      if (index < tooMany || conversation.usedAt < oldest) void this.#drop(conversation);
    }
  }

  /** Ends a conversation: its turn first, within bounds. */
  async #drop(conversation: Conversation): Promise<void> {
    const { connection, sessionId, turn } = conversation;
    this.#conversations.delete(conversation);
    if (turn) {
      connection.cancel(sessionId);
      turn.answerCalls(new Map());
      const late = new Promise<void>((resolve) => setTimeout(resolve, cancelGraceMs).unref?.());
      await Promise.race([turn.ended, late]);
    }
    await connection.close(sessionId);
  }
}

/** Passes an answer on and remembers it as the message that the client will have of it. */
class ToldAnswer implements AnswerSink {
  readonly #calls: string[] = [];
  #text = "";

  constructor(private readonly sink: AnswerSink) {}

  get message(): ChatMessage {
    const parts = [{ kind: "text", text: this.#text }] as const;
    return { role: "assistant", parts, callIds: this.#calls };
  }

  content(text: string): void {
    this.#text += text;
    this.sink.content(text);
  }

  reasoning(text: string): void {
    this.sink.reasoning(text);
  }

  toolCall(call: CalledTool): void {
    this.#calls.push(call.id);
    this.sink.toolCall(call);
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("It was given up."));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
