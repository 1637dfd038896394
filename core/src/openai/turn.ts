import { asObject } from "../rpc/json.js";
import type { AnswerSink } from "./answer-sink.js";
import type { AnswerEnd, FinishReason, Usage } from "./chat-completion.js";
import type { CalledTool } from "./client-tools.js";

type Members = Readonly<Record<string, unknown>>;
type Piece = { readonly kind: "content" | "reasoning"; readonly text: string };

/** Agents call several tools in one breath, each in a message of its own. */
const collectMs = 50;

/**
 * One prompt turn of the agent, told in one or more answers: each call of a client's tool ends an answer, and the turn
 * goes on in the next one, which brings the results.
 */
export class Turn {
  /** What came while nobody listened. */
  readonly #backlog: Piece[] = [];
  /** Calls that the client has not been told of. */
  readonly #fresh = new Map<string, CalledTool>();
  readonly #results = new Map<string, (result: string) => void>();
  #ended: Promise<void> = Promise.resolve();
  #sink: AnswerSink | undefined;
  #end: { readonly result: Members } | { readonly failure: unknown } | undefined;
  #onCalls: () => void = () => undefined;
  #hasSpoken = false;
  #isInterrupted = false;

  /** Sends the prompt; what the agent says of it, even before `prompt` returns, is this turn's. */
  begin(prompt: () => Promise<Members>): void {
    this.#ended = prompt().then(
      (result) => void (this.#end = { result }),
      (failure: unknown) => void (this.#end = { failure }),
    );
  }

  /** Resolves when the agent has ended the turn, in whatever way. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Whether it waits for the result of that call. */
  isWaitingFor(callId: string): boolean {
    return this.#results.has(callId) && !this.#fresh.has(callId);
  }

  /** Takes a session update. */
  update(update: Members): void {
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        return this.#say(textOf(update["content"]));
      case "agent_thought_chunk":
        return this.#tell({ kind: "reasoning", text: textOf(update["content"]) });
      case "tool_call": {
        this.#isInterrupted = true;
        const { title } = update;
        if (typeof title === "string" && title !== "") this.#tell({ kind: "reasoning", text: `\n[${title}]\n` });
      }
    }
  }

  /** Says in the answer what was not permitted. */
  deny(title: string): void {
    this.#isInterrupted = true;
    this.#say(`[Not permitted: ${title}]`);
    this.#isInterrupted = true;
  }

  /** The agent calls a tool of the client; resolves with its result. */
  callTool(name: string, args: Members, signal: AbortSignal): Promise<string> {
    const id = `call_${crypto.randomUUID().replaceAll("-", "")}`;
    this.#isInterrupted = true;
    this.#fresh.set(id, { id, name, args });
    this.#onCalls();
    return new Promise<string>((resolve, reject) => {
      this.#results.set(id, resolve);
      const giveUp = (): void => {
        this.#fresh.delete(id);
        this.#results.delete(id);
        reject(new Error("The call was given up."));
      };
      if (signal.aborted) giveUp();
      else signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Hands the results of calls over, by their ids. Calls that the client was told of and left out fail. */
  answerCalls(results: ReadonlyMap<string, string>): void {
    for (const [id, resolve] of [...this.#results]) {
      if (this.#fresh.has(id)) continue;
      this.#results.delete(id);
      resolve(results.get(id) ?? "The client gave no result for this call.");
    }
  }

  /** The next answer: what the agent says until it calls tools of the client, or the turn ends. */
  async next(sink: AnswerSink, hasParallelCalls: boolean): Promise<AnswerEnd> {
    this.#sink = sink;
    for (const piece of this.#backlog.splice(0)) sink[piece.kind](piece.text);
    await Promise.race([this.#ended, this.#callsAreIn()]);
    this.#sink = undefined;
    if (!this.#end) return this.#callEnd(sink, hasParallelCalls);
    if ("failure" in this.#end) throw this.#end.failure;
    const { stopReason, usage } = this.#end.result;
    const tokens = usageOf(asObject(usage));
    return { finishReason: finishReasonOf(stopReason), ...(tokens && { usage: tokens }) };
  }

  #callEnd(sink: AnswerSink, hasParallelCalls: boolean): AnswerEnd {
    const calls = [...this.#fresh.values()].slice(0, hasParallelCalls ? undefined : 1);
    for (const call of calls) {
      this.#fresh.delete(call.id);
      sink.toolCall(call);
    }
    return { finishReason: "tool_calls" };
  }

  /** Resolves some time after the first call that the client has not been told of. */
  async #callsAreIn(): Promise<void> {
    for (;;) {
      if (this.#fresh.size === 0) await new Promise<void>((resolve) => (this.#onCalls = resolve));
      await new Promise<void>((resolve) => void setTimeout(resolve, collectMs));
      if (this.#fresh.size > 0) return;
    }
  }

  /** What stood on both sides of a tool call would run together. */
  #say(text: string): void {
    if (text === "") return;
    const gap = this.#isInterrupted && this.#hasSpoken ? "\n\n" : "";
    this.#isInterrupted = false;
    this.#hasSpoken = true;
    this.#tell({ kind: "content", text: gap + text });
  }

  #tell(piece: Piece): void {
    if (piece.text === "") return;
    if (this.#sink) this.#sink[piece.kind](piece.text);
    else this.#backlog.push(piece);
  }
}

function textOf(content: unknown): string {
  const { type, text, uri, name } = asObject(content) ?? {};
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource_link" && typeof uri === "string") return `[${typeof name === "string" ? name : uri}](${uri})`;
  return typeof type === "string" ? `[${type}]` : "";
}

function finishReasonOf(stopReason: unknown): FinishReason {
  if (stopReason === "max_tokens" || stopReason === "max_turn_requests") return "length";
  return stopReason === "refusal" ? "content_filter" : "stop";
}

function usageOf(usage: Members | undefined): Usage | undefined {
  const { inputTokens: input, outputTokens: output, totalTokens: total } = usage ?? {};
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: typeof total === "number" ? total : input + output,
  };
}
