import { AgentChains } from "../model/agent-chains.js";
import type { AgentConnection, OpenAgent, SessionListener } from "../model/agent-connection.js";
import type { AnswerSink } from "../model/answer-sink.js";
import type { CalledTool, CallTool } from "../model/called-tool.js";
import { ownToolOf } from "../model/own-tool.js";
import { type AnswerPause, ToldTurns } from "../model/told-turns.js";
import { ToolBridge } from "../model/tool-bridge.js";
import { isDoneWithin, untilAborted } from "../base/until-aborted.js";
import { nothingToCancel } from "../rpc/peer.js";
import { type AnswerEnd, answerEndOf } from "./chat-completion.js";
import type { ChatMessage } from "./chat-message.js";
import type { ChatRequest } from "./chat-request.js";
import { continuedAt, type Conversation, keyOf, toolsKey, trailingResults } from "./conversation.js";
import { CutAnswer } from "./cut-answer.js";
import { asOpenAiFailure, OpenAiFailure } from "./openai-failure.js";
import { clientToolsName, decidePermission, type PermissionPolicy } from "./permission-policy.js";
import { promptContent } from "./prompt-content.js";

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

interface StartedAnswer {
  readonly conversation: Conversation;
  readonly pause: Promise<AnswerPause>;
}

/** How many sessions are kept for a conversation that may go on, and for how long. */
const mostConversations = 32;
/** The same for sessions that have a process of their own. */
const mostAlone = 4;
const idleLimitMs = 30 * 60_000;
/** How long after the latest answer it is looked for conversations and agents that nobody uses. */
const sweepMs = idleLimitMs + 60_000;
/** How long an agent may take to end a turn that was given up. */
const cancelGraceMs = 10_000;

/** Answers chat completions by agents: one ACP session a conversation, told apart by their histories. */
export class ChatService implements AsyncDisposable {
  readonly #chains: AgentChains;
  readonly #conversations = new Set<Conversation>();
  #sweep: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  constructor(private readonly options: ChatServiceOptions) {
    this.#chains = new AgentChains({
      clientInfo: { name: "symposium-openai", title: "Symposium", version: options.version },
      onFailure: (connection) => this.#forget(connection),
    });
  }

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
    try {
      return await this.#tell(request, sink, signal);
    } catch (failure) {
      throw asOpenAiFailure(failure);
    } finally {
      this.#sweepLater();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#sweep);
    this.#conversations.clear();
    await this.#chains[Symbol.asyncDispose]();
  }

  async #tell(request: ChatRequest, sink: AnswerSink, signal: AbortSignal): Promise<AnswerEnd> {
    const told = new ToldAnswer(sink);
    const cutting = request.stop.length === 0 ? undefined : new CutAnswer(told, request.stop);
    const heard = cutting ?? told;
    const { conversation, pause } = this.#goOn(request, heard) ?? (await this.#prompt(request, heard, signal));
    conversation.isTold = true;
    try {
      const end = await untilAborted(cutting ? Promise.race([cutting.cut, pause]) : pause, signal);
      if (end === "cut") {
        // Its agent has said more than the client knows.
        void this.#drop(conversation);
        return { finishReason: "stop" };
      }
      cutting?.flush();
      conversation.keys = [...request.messages.map(keyOf), keyOf(told.message)];
      return end.kind === "end" ? answerEndOf(end.result) : { finishReason: "tool_calls" };
    } catch (failure) {
      void this.#drop(conversation);
      throw failure;
    } finally {
      conversation.isTold = false;
      conversation.usedAt = this.options.now();
    }
  }

  /** Goes on in the conversation whose agent waits for the results that the request brings. */
  #goOn(request: ChatRequest, sink: AnswerSink): StartedAnswer | undefined {
    const results = trailingResults(request);
    const ids = [...results.keys()];
    const found = this.#living.find(({ turns, isTold }) => !isTold && ids.some((id) => turns.isWaitingFor(id)));
    return found && { conversation: found, pause: found.turns.answerCalls(results, sink, request.hasParallelCalls) };
  }

  /** Starts a turn: in the session that knows all but the user's last words, else in a new one that is told the rest. */
  async #prompt(request: ChatRequest, sink: AnswerSink, signal: AbortSignal): Promise<StartedAnswer> {
    const agent = this.#agent(request.model);
    const keys = request.messages.map(keyOf);
    let known = 0;
    let conversation: Conversation | undefined;
    for (const candidate of this.#living) {
      const length = continuedAt(candidate, keys, request) ?? 0;
      if (length > known) [conversation, known] = [candidate, length];
    }
    // What the agent does not take is refused before a session is opened for it.
    const { traits } = conversation?.connection ?? (await this.#chains.connect(agent.id, agent.open));
    const content = promptContent(request.messages.slice(known), traits.takesImages);
    const asked = conversation ?? (await this.#open(agent, request));
    const { turns, sessionId, connection } = asked;
    // A client that has left while its session was opened wants no answer.
    const send = (): ReturnType<AgentConnection["prompt"]> =>
      signal.aborted ? Promise.reject(new Error("The client has left.")) : connection.prompt(sessionId, content);
    return { conversation: asked, pause: turns.prompt(send, sink, request.hasParallelCalls) };
  }

  async #open({ id, open }: OfferedAgent, request: ChatRequest): Promise<Conversation> {
    const connection = await this.#chains.lease(id, open);
    try {
      return await this.#openOn(connection, request);
    } catch (failure) {
      void this.#chains.release(connection);
      throw failure;
    }
  }

  async #openOn(connection: AgentConnection, request: ChatRequest): Promise<Conversation> {
    const { policy, version, now, cwd } = this.options;
    const opened: { sessionId?: string } = {};
    const call: CallTool = async (...called) => {
      const outcome = await turns.call(...called);
      if (outcome.kind === "result") return outcome.result;
      if (outcome.kind === "missing") return "The client gave no result for this call.";
      throw new Error("The call was given up.");
    };
    const instructions =
      "Tools of the program that the user works in. Use them to see and change what the user sees there.";
    const bridge = new ToolBridge({ name: clientToolsName, version, instructions, call }, request.tools);
    const turns: ToldTurns = new ToldTurns({
      key: crypto.randomUUID().replaceAll("-", "").slice(0, 16),
      cancel: () => {
        if (opened.sessionId !== undefined) connection.cancel(opened.sessionId);
      },
      habits: connection.habits,
      ownTool: (toolCall) => ownToolOf(toolCall, clientToolsName, bridge.aliases),
    });
    const listener: SessionListener = {
      update: (update) => turns.update(update),
      permission: (params, answer) => {
        const { result, denied } = decidePermission(params, policy, (toolCall) => turns.isOwn(toolCall));
        if (denied !== undefined) turns.remark(`[Not permitted: ${denied}]`);
        answer(result);
        return nothingToCancel;
      },
    };
    const server = request.tools.length === 0 ? undefined : bridge;
    const { sessionId } = await connection.openSession(listener, { cwd, server });
    opened.sessionId = sessionId;
    const tools = toolsKey(request);
    const conversation: Conversation = {
      model: request.model,
      connection,
      sessionId,
      tools,
      keys: [],
      turns,
      isTold: false,
      usedAt: now(),
    };
    this.#conversations.add(conversation);
    return conversation;
  }

  get #living(): readonly Conversation[] {
    return [...this.#conversations].filter(({ connection }) => !connection.hasFailed);
  }

  #agent(model: string): OfferedAgent {
    const agent = this.options.agents.find(({ id }) => id === model);
    if (agent) return agent;
    const ids = this.options.agents.map(({ id }) => id).join(", ");
    throw new OpenAiFailure(404, "model_not_found", `There is no model "${model}". There are: ${ids}.`, "model");
  }

  /** A chain that has failed: the next request starts another one. */
  #forget(connection: AgentConnection): void {
    for (const conversation of this.#conversations) {
      if (conversation.connection === connection) this.#conversations.delete(conversation);
    }
  }

  #expire(): void {
    const idle = [...this.#conversations].filter(({ isTold }) => !isTold).sort((a, b) => a.usedAt - b.usedAt);
    const tooMany = this.#conversations.size - mostConversations + 1;
    const oldest = this.options.now() - idleLimitMs;
    for (const [index, conversation] of idle.entries()) {
      if (index < tooMany || conversation.usedAt < oldest) void this.#drop(conversation);
    }
    const alone = idle.filter(({ connection }) => connection.traits.sharesServers);
    for (const conversation of alone.slice(0, Math.max(0, alone.length - mostAlone))) void this.#drop(conversation);
  }

  /** Agents take memory: what nobody asks any more is ended, also when no request comes. */
  #sweepLater(): void {
    clearTimeout(this.#sweep);
    if (this.#isDisposed) return;
    this.#sweep = setTimeout(() => {
      this.#expire();
      void this.#chains.endIdle();
    }, sweepMs);
    this.#sweep.unref?.();
  }

  /** Ends a conversation: its turn first, within bounds. */
  async #drop(conversation: Conversation): Promise<void> {
    const { connection, sessionId, turns } = conversation;
    if (!this.#conversations.delete(conversation)) return;
    turns.cancel();
    if (turns.phase === "ending") await isDoneWithin(turns.ended, cancelGraceMs);
    await connection.close(sessionId);
    await this.#chains.release(connection);
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
