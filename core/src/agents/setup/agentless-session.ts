import { promptText, textUpdate } from "../../conductor/choices/session-messages.js";
import type { Json } from "../../base/rpc/json.js";
import { Outcome, type Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import type { SignIn } from "../../conductor/chain/sign-in.js";
import type { KnownAgent } from "../known-agents.js";
import type { ChosenAgent } from "./chosen-agent.js";

/** A session that was opened before there was an agent. Answers its prompt turns one at a time. */
export class AgentlessSession {
  /** The agents as they were last listed here, so that numbers keep their meaning. */
  shown: readonly KnownAgent[] | undefined;
  /** Set while the user is being asked how to sign in. */
  signIn: { readonly chosen: ChosenAgent; readonly methods: readonly SignIn[] } | undefined;
  /** Something the user has not read yet: no answer of theirs can be about it. */
  notice: string | undefined;
  #agent: ChosenAgent | undefined;
  #isClosed = false;
  #isAnswering = false;
  #hasPrompts = false;
  readonly #turns: SetupTurn[] = [];

  constructor(
    readonly id: string,
    /** Parameters of the `session/new` that opened it. */
    readonly setup: Json,
    private readonly client: Peer,
    private readonly answer: (session: AgentlessSession, turn: SetupTurn) => Promise<void>,
  ) {}

  /** Whether `chosen` has it, or wants a sign-in before. */
  isWith(chosen: ChosenAgent): boolean {
    return this.#agent === chosen || this.signIn?.chosen === chosen;
  }

  /** Whether it is open and the user has said nothing in it yet. */
  get isFresh(): boolean {
    return !this.#isClosed && !this.#hasPrompts;
  }

  /** Says something outside a turn. */
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

  /** `chosen` has it from now on. */
  handOver(chosen: ChosenAgent): void {
    this.#agent = chosen;
    this.signIn = undefined;
  }

  /** The agent is gone: the next answer begins with `notice`. */
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

/** One prompt turn that the setup agent answers. */
export class SetupTurn {
  /** What the user typed. */
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

  /** Whether it was answered or cancelled. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What `promise` resolves with, or undefined when the turn is over sooner. */
  async until<T>(promise: Promise<T>): Promise<T | undefined> {
    const value = await Promise.race([promise, this.#over]);
    return this.#isOver ? undefined : value;
  }

  /** What a cancellation has to stop, in place of what was given before. */
  onCancel(giveUp: () => void): void {
    this.#giveUp = giveUp;
  }

  /** Adds a paragraph to the answer. */
  say(text: string): void {
    if (!this.#isOver) this.client.notify(textUpdate(this.sessionId, `${text}\n\n`));
  }

  /** Ends the turn, with a last paragraph where there is one. */
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
