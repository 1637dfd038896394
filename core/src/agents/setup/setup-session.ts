import type { Json } from "../../rpc/json.js";
import type { Request } from "../../rpc/message.js";
import type { Cancel, Peer, Reply } from "../../rpc/peer.js";
import type { KnownAgent } from "../known-agents.js";
import type { ChosenChain } from "./chosen-chain.js";
import { textUpdate } from "./session-update.js";
import { SetupTurn } from "./setup-turn.js";
import type { SignIn } from "./sign-in.js";

/** A session of the editor that was opened before there was an agent. Takes its prompt turns one at a time. */
export class SetupSession {
  /** The agents as they were last listed here, so that numbers keep their meaning. */
  shown: readonly KnownAgent[] | undefined;
  /** Set while the user is being asked how to sign in. */
  signIn: { readonly chain: ChosenChain; readonly methods: readonly SignIn[] } | undefined;
  /** Something the user has not been told yet: no answer of theirs can be about it. */
  notice: string | undefined;
  #chain: ChosenChain | undefined;
  #isClosed = false;
  #isAnswering = false;
  #hasPrompts = false;
  #turns: SetupTurn[] = [];

  constructor(
    readonly id: string,
    /** Parameters of the `session/new` that opened it. */
    readonly setup: Json,
    private readonly client: Peer,
    private readonly answer: (session: SetupSession, turn: SetupTurn) => Promise<void>,
  ) {}

  /** The chain that has taken the session over. */
  get chain(): ChosenChain | undefined {
    return this.#chain;
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

  /** Cancels the turn and those that wait behind it. */
  cancel(): void {
    for (const turn of [...this.#turns]) turn.cancel();
  }

  close(): void {
    this.#isClosed = true;
    this.cancel();
  }

  /** From now on `chain` has the session: what waits goes there, in order. */
  handOver(chain: ChosenChain): void {
    this.#chain = chain;
    this.signIn = undefined;
    for (const turn of this.#turns.splice(0)) turn.forward(chain);
  }

  /** The chain is gone: the session is here again, and the next answer begins with `notice`. */
  takeBack(notice: string): void {
    this.#chain = undefined;
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
