import type { ToolResult } from "../base/mcp/tool-server.js";
import type { Members } from "../base/rpc/json.js";
import { type Cancel, nothingToCancel } from "../base/rpc/peer.js";
import type { AnswerSink, CalledTool } from "./answer-sink.js";
import { Backlog, type Piece, pieceOf } from "./backlog.js";
import { type CallHabits, ToolRoundEnd } from "./tool-round-end.js";
import { idleTurn, type PendingCall, stepTurn, type TurnEffect, type TurnEvent, type TurnPhase } from "./turn-state.js";

/** End of one answer: pending calls, the end of the agent's turn, or a cancellation. */
export type AnswerPause =
  | { readonly kind: "calls" }
  | { readonly kind: "end"; /** Of `session/prompt`. */ readonly result: Members }
  | { readonly kind: "cancelled" };

/** Outcome of a call: the client's result, a missing result, or the end of the turn. */
export type CallOutcome =
  | { readonly kind: "result"; readonly result: ToolResult }
  | { readonly kind: "missing" | "cancelled" };

interface SessionTurnsOptions {
  /** Prefix of call ids that identifies the session; letters and digits. */
  readonly key: string;
  readonly cancel: () => void;
  /** Returns the name of the client's tool that the agent's tool call uses; undefined if it uses another tool. */
  readonly ownTool: (toolCall: Members) => string | undefined;
  readonly habits?: CallHabits;
}

interface OpenCall {
  readonly called: CalledTool;
  settle(outcome: CallOutcome): void;
}

interface OpenAnswer {
  readonly sink: AnswerSink;
  readonly hasParallelCalls: boolean;
  resolve(pause: AnswerPause): void;
  reject(failure: unknown): void;
}

/**
 * Splits a session's prompt turns into answers. An answer ends when the agent calls the client's tools; the turn continues when the next
 * request brings the results. Output between answers is buffered.
 */
export class SessionTurns {
  readonly #backlog = new Backlog();
  readonly #calls = new Map<string, OpenCall>();
  readonly #round: ToolRoundEnd;
  #state = idleTurn;
  #answer: OpenAnswer | undefined;
  #results: ReadonlyMap<string, ToolResult> = new Map();
  #send: () => Promise<Members> = () => Promise.resolve({});
  #end: { readonly result: Members } | { readonly failure: unknown } = { result: {} };
  #ended: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasSpoken = false;
  #isInterrupted = false;
  /** Number of holds that haven't been disposed. */
  #holds = 0;
  readonly #givenUp = new Map<string, PendingCall["kind"]>();

  constructor(private readonly options: SessionTurnsOptions) {
    this.#round = new ToolRoundEnd(options.habits);
  }

  get phase(): TurnPhase {
    return this.#state.phase;
  }

  /** Resolves when the current turn has ended or failed. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Returns whether the turn waits for the client's result of this call. */
  isWaitingFor(callId: string): boolean {
    return this.#state.awaited.some(({ id }) => id === callId);
  }

  /** Returns the kind of a call that the agent cancelled during its turn; undefined otherwise. */
  givenUp(callId: string): PendingCall["kind"] | undefined {
    return this.#givenUp.get(callId);
  }

  get awaited(): readonly PendingCall[] {
    return this.#state.awaited;
  }

  /** Starts a turn and emits its first answer; the phase must be `idle`. Rejects with the agent's failure. */
  prompt(send: () => Promise<Members>, sink: AnswerSink, hasParallelCalls: boolean): Promise<AnswerPause> {
    this.#send = send;
    return this.#listen({ type: "prompted" }, sink, hasParallelCalls);
  }

  answerCalls(
    results: ReadonlyMap<string, ToolResult>,
    sink: AnswerSink,
    hasParallelCalls: boolean,
  ): Promise<AnswerPause> {
    this.#results = results;
    this.#givenUp.clear();
    this.#round.answered();
    return this.#listen({ type: "answered", ids: new Set(results.keys()) }, sink, hasParallelCalls);
  }

  /** Cancels the turn: asks the agent to end it, settles calls and ends the answer. */
  cancel(): void {
    this.#givenUp.clear();
    this.#dispatch({ type: "cancelled" });
  }

  /** Prevents calls from ending the answer while the client asks its user. Dispose the returned object to end the hold. */
  hold(): Disposable {
    this.#holds++;
    clearTimeout(this.#timer);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#holds--;
        if (this.#state.phase === "streaming" && this.#state.fresh.length > 0) this.#watchRound();
      },
    };
  }

  update(update: Members): void {
    switch (update["sessionUpdate"]) {
      case "agent_message_chunk":
        return this.#say(pieceOf(update["content"], "content"));
      case "agent_thought_chunk":
        return this.#emit(pieceOf(update["content"], "reasoning"));
      case "tool_call":
        this.#isInterrupted = true;
        if (this.announce(update)) return;
        if (typeof update["title"] !== "string" || update["title"] === "") return;
        return this.#emit({ kind: "reasoning", text: `\n[${update["title"]}]\n` });
      case "tool_call_update":
        this.announce(update);
    }
  }

  /** Records an announced tool call; returns whether it is for a client's tool. */
  announce(toolCall: Members): boolean {
    const { toolCallId, status } = toolCall;
    const name = this.options.ownTool(toolCall);
    if (typeof toolCallId !== "string") return name !== undefined;
    const isOver = status === "completed" || status === "failed";
    const isNews = isOver
      ? this.#round.finish(toolCallId)
      : name !== undefined && this.#round.announce(toolCallId, name);
    if (isNews && this.#state.fresh.length > 0 && this.#state.phase === "streaming") this.#watchRound();
    return name !== undefined;
  }

  /**
   * Returns whether a tool call is for a client's tool: by the call's own data, or by its earlier announcement unless the title has
   * changed.
   */
  isOwn(toolCall: Members): boolean {
    if (this.options.ownTool(toolCall) !== undefined) return true;
    const { toolCallId, title } = toolCall;
    const expected = typeof toolCallId === "string" ? this.#round.expected(toolCallId) : undefined;
    return expected !== undefined && (title === undefined || title === null || title === expected);
  }

  /** Adds a text that isn't the agent's to the answer. */
  remark(text: string): void {
    this.#isInterrupted = true;
    this.#say({ kind: "content", text });
    this.#isInterrupted = true;
  }

  /** Calls a client's tool, known to the agent as `alias`, and resolves with the outcome. */
  call(name: string, args: Members, signal?: AbortSignal, alias = name): Promise<CallOutcome> {
    if (signal?.aborted !== true) this.#round.call(alias);
    return new Promise((resolve) => void this.ask("tool", { name, args }, resolve, signal));
  }

  /** Starts a tool call or a permission request. Calls `done` once, before any output that the outcome causes. */
  ask(
    kind: PendingCall["kind"],
    { name, args }: Omit<CalledTool, "id">,
    done: (outcome: CallOutcome) => void,
    signal?: AbortSignal,
  ): Cancel {
    const id = `call_${this.options.key}${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
    this.#isInterrupted = true;
    const settle = (outcome: CallOutcome): void => {
      if (!this.#calls.delete(id)) return;
      signal?.removeEventListener("abort", giveUp);
      done(outcome);
    };
    const giveUp = (): void => {
      if (this.#state.awaited.some((call) => call.id === id)) this.#givenUp.set(id, kind);
      this.#dispatch({ type: "call-given-up", id });
      settle({ kind: "cancelled" });
    };
    this.#calls.set(id, { called: { id, name, args }, settle });
    if (signal?.aborted === true) {
      settle({ kind: "cancelled" });
      return nothingToCancel;
    }
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#dispatch({ type: "called", call: { id, kind } });
    return giveUp;
  }

  #listen(event: TurnEvent, sink: AnswerSink, hasParallelCalls: boolean): Promise<AnswerPause> {
    this.#hasSpoken = false;
    return new Promise<AnswerPause>((resolve, reject) => {
      this.#answer = { sink, hasParallelCalls, resolve, reject };
      this.#dispatch(event);
    });
  }

  /** Emits a piece of the answer. Inserts a blank line after a tool call, so that the texts around the call don't run together. */
  #say(piece: Piece | undefined): void {
    if (piece?.kind !== "content" || piece.text === "") return this.#emit(piece);
    const gap = this.#isInterrupted && this.#hasSpoken ? "\n\n" : "";
    this.#isInterrupted = false;
    this.#hasSpoken = true;
    this.#emit({ kind: "content", text: gap + piece.text });
  }

  #emit(piece: Piece | undefined): void {
    if (piece === undefined || (piece.kind !== "image" && piece.text === "")) return;
    this.#dispatch({ type: "said" }, piece);
  }

  #dispatch(event: TurnEvent, piece?: Piece): void {
    const { state, effects } = stepTurn(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect, piece);
  }

  #carryOut(effect: TurnEffect, piece: Piece | undefined): void {
    switch (effect.type) {
      case "send-prompt":
        return this.#begin();
      case "send-cancel":
        return this.options.cancel();
      case "emit":
        return this.#pass(piece);
      case "keep":
        if (piece) this.#backlog.push(piece);
        return;
      case "drop":
        return;
      case "emit-kept":
        for (const kept of this.#backlog.take()) this.#pass(kept);
        return;
      case "drop-kept":
        this.#backlog.take();
        return;
      case "emit-calls":
        this.#round.close();
        for (const id of effect.ids) {
          const call = this.#calls.get(id);
          if (call) this.#answer?.sink.toolCall(call.called);
        }
        return;
      case "settle":
        return this.#settle(effect.id, effect.end);
      case "watch-round":
        return this.#watchRound();
      case "end-answer":
        return this.#endAnswer(effect.because);
    }
  }

  #begin(): void {
    this.#isInterrupted = false;
    this.#givenUp.clear();
    this.#ended = this.#send().then(
      (result) => this.#over({ result }),
      (failure: unknown) => this.#over({ failure }),
    );
  }

  #over(end: { readonly result: Members } | { readonly failure: unknown }): void {
    this.#end = end;
    this.#round.reset();
    this.#dispatch({ type: "ended" });
    // Separate undelivered text from the text of the next turn.
    if (this.#state.phase !== "idle" && !this.#backlog.isEmpty) this.#backlog.push({ kind: "content", text: "\n\n" });
  }

  #pass(piece: Piece | undefined): void {
    const sink = this.#answer?.sink;
    if (!sink || !piece) return;
    if (piece.kind !== "image") sink[piece.kind](piece.text);
    else if (sink.image) sink.image(piece.mimeType, piece.data);
    else sink.content("[image]");
  }

  #settle(id: string, end: "result" | "missing" | "cancelled"): void {
    const result = end === "result" ? this.#results.get(id) : undefined;
    if (end !== "result") this.#calls.get(id)?.settle({ kind: end });
    else this.#calls.get(id)?.settle(result === undefined ? { kind: "missing" } : { kind: "result", result });
  }

  #watchRound(): void {
    clearTimeout(this.#timer);
    if (this.#holds > 0) return;
    this.#timer = setTimeout(() => {
      const limit = this.#answer?.hasParallelCalls === false ? 1 : Number.POSITIVE_INFINITY;
      this.#dispatch({ type: "round-closed", limit });
    }, this.#round.quietMs);
  }

  #endAnswer(because: "calls" | "end" | "cancelled"): void {
    const answer = this.#answer;
    this.#answer = undefined;
    clearTimeout(this.#timer);
    if (because !== "end") answer?.resolve({ kind: because });
    else if ("failure" in this.#end) answer?.reject(this.#end.failure);
    else answer?.resolve({ kind: "end", result: this.#end.result });
  }
}
