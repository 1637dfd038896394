import { promptText, textUpdate } from "../../conductor/choices/session-messages.js";
import type { Json } from "../../base/rpc/json.js";
import { Outcome, type Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import type { SignIn } from "../../conductor/chain/sign-in.js";
import type { KnownAgent } from "../known-agents.js";
import type { ChosenAgent } from "./chosen-agent.js";

export class AgentlessSession {
  /** Agents as last listed in this session, so that numbers refer to that list. */
  shown: readonly KnownAgent[] | undefined;
  signIn: { readonly chosen: ChosenAgent; readonly methods: readonly SignIn[] } | undefined;
  /** Message that the user hasn't seen yet, so that the next prompt can't be an answer to it. */
  notice: string | undefined;
  #agent: ChosenAgent | undefined;
  #isClosed = false;
  #isAnswering = false;
  #hasPrompts = false;
  readonly #turns: SetupTurn[] = [];

  constructor(
    readonly id: string,
    readonly setup: Json,
    private readonly client: Peer,
    private readonly answer: (session: AgentlessSession, turn: SetupTurn) => Promise<void>,
  ) {}

  /** Whether the session uses the agent `chosen` or is signing in to that agent. */
  isWith(chosen: ChosenAgent): boolean {
    return this.#agent === chosen || this.signIn?.chosen === chosen;
  }

  get isFresh(): boolean {
    return !this.#isClosed && !this.#hasPrompts;
  }

  say(text: string): void {
    this.client.notify(textUpdate(this.id, text));
  }

  prompt(request: Request, reply: Reply): Cancel {
    const turn = new SetupTurn(this.id, request, reply, this.client);
    this.#hasPrompts = true;
    this.#turns.push(turn);
    if (!this.#isAnswering) void this.#answerAll();
    return () => turn.cancel();
  }

  cancel(): void {
    for (const turn of [...this.#turns]) turn.cancel();
  }

  close(): void {
    this.#isClosed = true;
    this.cancel();
  }

  handOver(chosen: ChosenAgent): void {
    this.#agent = chosen;
    this.signIn = undefined;
  }

  /** Returns the session to the setup dialogue after its agent ended. The next answer begins with `notice`. */
  comeBack(notice: string): void {
    this.#agent = undefined;
    this.signIn = undefined;
    this.notice = notice;
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true;
    for (let turn = this.#turns[0]; turn !== undefined; turn = this.#turns[0]) {
      if (!turn.isOver) await this.answer(this, turn);
      if (this.#turns[0] === turn) this.#turns.shift();
    }
    this.#isAnswering = false;
  }
}

export class SetupTurn {
  readonly text: string;
  #isOver = false;
  #giveUp: () => void = () => undefined;
  readonly #over: Promise<undefined>;
  #resolveOver: () => void = () => undefined;

  constructor(
    private readonly sessionId: string,
    request: Request,
    private readonly reply: Reply,
    private readonly client: Peer,
  ) {
    this.text = promptText(request.params);
    this.#over = new Promise((resolve) => {
      this.#resolveOver = () => resolve(undefined);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves like `promise`, or with undefined if the turn ends first. */
  async until<T>(promise: Promise<T>): Promise<T | undefined> {
    const value = await Promise.race([promise, this.#over]);
    return this.#isOver ? undefined : value;
  }

  /** Registers the operation that a cancellation stops, replacing the previous one. */
  onCancel(giveUp: () => void): void {
    this.#giveUp = giveUp;
  }

  say(text: string): void {
    if (!this.#isOver) this.client.notify(textUpdate(this.sessionId, `${text}\n\n`));
  }

  finish(text?: string): void {
    if (text !== undefined) this.say(text);
    this.#end({ stopReason: "end_turn" });
  }

  cancel(): void {
    const giveUp = this.#giveUp;
    this.#end({ stopReason: "cancelled" });
    giveUp();
  }

  #end(result: { stopReason: "end_turn" | "cancelled" }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#giveUp = () => undefined;
    this.#resolveOver();
    this.reply(Outcome.of(result));
  }
}
