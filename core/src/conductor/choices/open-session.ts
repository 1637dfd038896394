import { acpMethods } from "../../base/acp/methods.js";
import { Json, stringOf } from "../../base/rpc/json.js";
import { Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { AgentOffers } from "./agent-offers.js";
import type { RunningChain } from "./running-chain.js";
import { textUpdate } from "./session-messages.js";

/** A message of the client that waits. */
interface Held {
  readonly send: () => Cancel;
  readonly reply: Reply;
  readonly isPrompt: boolean;
  /** Set once it was sent. */
  cancel?: Cancel;
}

/** A prompt that an agent is answering which may hand it over. */
interface OpenTurn {
  readonly request: Request;
  readonly reply: Reply;
  cancel: Cancel;
}

/** Where a session was before it was tried elsewhere. */
interface Left {
  readonly chain: RunningChain;
  readonly agentId: string;
  /** The first prompt was answered: it has left for good, or, where that was an error, is back there. */
  readonly tried: (failure: Outcome | undefined) => void;
}

/** A session of the client, and the chain that it is in. */
export class OpenSession {
  #chain: RunningChain;
  #agentId: string;
  #hasHistory: boolean;
  #openTurns = 0;
  /** The prompt that may be handed over; others wait until it is answered. */
  #turn: OpenTurn | undefined;
  /** What the agent calls it that has handed it over. */
  #homeId: string | undefined;
  #left: Left | undefined;
  /** Who wants messages of the client to wait, and those that do. */
  #holds = 0;
  readonly #held: Held[] = [];

  /**
   * `opening` are the parameters of the request that opened it, where that is known; of a session that is new, unless it
   * `hasHistory`.
   * `agentId` is what the chain's agent calls it.
   */
  constructor(
    readonly id: string,
    private readonly client: Peer,
    readonly opening: Json | undefined,
    chain: RunningChain,
    agentId: string,
    hasHistory: boolean,
  ) {
    this.#hasHistory = hasHistory;
    this.#chain = chain;
    this.#agentId = agentId;
    chain.add(this.id, agentId);
  }

  get chain(): RunningChain {
    return this.#chain;
  }

  /** What the chain's agent calls it. */
  get agentId(): string {
    return this.#agentId;
  }

  /** Where it works, where that is known. */
  get folder(): string | undefined {
    const cwd = this.opening?.object?.["cwd"];
    return stringOf(cwd);
  }

  /** Whether it is the one that the agent of `chain` knows under this id. */
  isIn(chain: RunningChain, agentId: string): boolean {
    return this.#chain === chain && this.#agentId === agentId;
  }

  get offers(): AgentOffers {
    return this.#chain.offersOf(this.#agentId);
  }

  /** Whether no agent has seen a prompt in it. */
  get isFresh(): boolean {
    return !this.#hasHistory;
  }

  /** Sends a request of the client into its chain, now or when the session is not on the move any more. */
  request(request: Request, reply: Reply): Cancel {
    const send = (): Cancel => this.#chain.request(request, reply);
    return this.#holds === 0 ? send() : this.#keep({ send, reply, isPrompt: false });
  }

  prompt(request: Request, reply: Reply): Cancel {
    const held: Held = { send: () => this.#sendPrompt(request, reply), reply, isPrompt: true };
    return this.#mustWait(held) ? this.#keep(held) : held.send();
  }

  notify(notification: Notification): void {
    const send = (): Cancel => {
      this.#chain.notify(notification);
      return nothingToCancel;
    };
    if (this.#holds === 0) send();
    else this.#keep({ send, reply: () => undefined, isPrompt: false });
  }

  /** The client gives its prompt up (`session/cancel`): one that still waits is answered here. */
  cancel(notification: Notification): void {
    const waiting = this.#held.filter(({ isPrompt }) => isPrompt);
    for (const held of waiting) {
      this.#held.splice(this.#held.indexOf(held), 1);
      held.reply(Outcome.of({ stopReason: "cancelled" }));
    }
    if (waiting.length === 0 || this.#turn) this.notify(notification);
  }

  /** Lets what the client sends wait, in order, until the result is disposed of. */
  hold(): Disposable {
    this.#holds++;
    let isHolding = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHolding) return;
        isHolding = false;
        this.#holds--;
        this.#sendHeld();
      },
    };
  }

  /** From now on it is in `chain`, whose agent calls it `agentId`; it is closed with the agent that it was with. */
  moveTo(chain: RunningChain, agentId: string): void {
    const [left, leftId] = [this.#chain, this.#agentId];
    this.#leaveHome();
    this.#goTo(chain, agentId);
    left.abandon(leftId);
  }

  /** As {@link moveTo}, but the agent that hands it over goes on knowing it: it may {@link comeBack}. */
  handOver(chain: RunningChain, agentId: string): void {
    this.#homeId = this.#agentId;
    this.#goTo(chain, agentId);
  }

  /**
   * From now on it is in `chain`, where it goes on with what was said. The session that it leaves stays until the first
   * prompt was answered there, and takes over again where that failed and its chain runs.
   */
  tryIn(chain: RunningChain, agentId: string, tried: Left["tried"]): void {
    this.#hasHistory = true;
    if (chain === this.#chain) {
      this.moveTo(chain, agentId);
      return;
    }
    this.#leave();
    this.#left = { chain: this.#chain, agentId: this.#agentId, tried };
    this.#chain = chain;
    this.#agentId = agentId;
    chain.add(this.id, agentId);
  }

  /** Sends the prompt to its new agent that the one which has handed it over was about to answer. */
  resendPrompt(): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    this.#openTurns--;
    turn.cancel = this.#sendPrompt(turn.request, turn.reply);
    this.#sendHeld();
  }

  /** Its agent is gone: it is with the one again in `home` that has handed it over. False where that is none. */
  comeBack(home: RunningChain): boolean {
    const homeId = this.#homeId;
    if (homeId === undefined) return false;
    this.#homeId = undefined;
    this.#goTo(home, homeId);
    return true;
  }

  /** It was closed or deleted. */
  end(): void {
    this.#leave();
    this.#leaveHome();
    this.#chain.remove(this.id, this.#agentId);
  }

  /** Whether no answer is being written in it. */
  get isQuiet(): boolean {
    return this.#openTurns === 0;
  }

  /** Says a paragraph to the user. */
  say(text: string): void {
    this.client.notify(textUpdate(this.id, `${text}\n\n`));
  }

  /** Sends a session update; `update` is raw. */
  update(update: Json): void {
    const params = `{"sessionId":${JSON.stringify(this.id)},"update":${update.text}}`;
    this.client.notify(new Notification(acpMethods.sessionUpdate, Json.ofText(params)));
  }

  #goTo(chain: RunningChain, agentId: string): void {
    this.#chain.remove(this.id, this.#agentId);
    this.#chain = chain;
    this.#agentId = agentId;
    chain.add(this.id, agentId);
  }

  #answeredIn(chain: RunningChain, outcome: Outcome): void {
    const left = this.#left;
    if (!left || chain !== this.#chain) return;
    const isBack = outcome.isError && !left.chain.hasEnded;
    if (!isBack) this.#leave();
    else {
      const [failed, failedId] = [this.#chain, this.#agentId];
      this.#left = undefined;
      failed.remove(this.id, failedId);
      failed.abandon(failedId);
      this.#chain = left.chain;
      this.#agentId = left.agentId;
    }
    left.tried(isBack ? outcome : undefined);
  }

  /** Nobody needs the session any more that it has left. */
  #leave(): void {
    const left = this.#left;
    this.#left = undefined;
    if (!left) return;
    left.chain.remove(this.id, left.agentId);
    left.chain.abandon(left.agentId);
    this.#leaveHome();
  }

  #leaveHome(): void {
    if (this.#homeId !== undefined) this.#chain.home?.abandon(this.#homeId);
    this.#homeId = undefined;
  }

  #sendPrompt(request: Request, reply: Reply): Cancel {
    this.#hasHistory = true;
    this.#openTurns++;
    const turn: OpenTurn = { request, reply, cancel: nothingToCancel };
    const mayGo = this.#chain.handsOver;
    if (mayGo) this.#turn = turn;
    const chain = this.#chain;
    turn.cancel = chain.request(request, (outcome) => {
      if (mayGo && this.#turn !== turn) return;
      this.#turn = undefined;
      this.#openTurns--;
      this.#answeredIn(chain, outcome);
      reply(outcome);
      this.#sendHeld();
    });
    return () => turn.cancel();
  }

  #mustWait({ isPrompt }: Held): boolean {
    return this.#holds > 0 || (isPrompt && this.#turn !== undefined);
  }

  #sendHeld(): void {
    for (const held of [...this.#held]) {
      const place = this.#held.indexOf(held);
      if (place === -1 || this.#mustWait(held)) continue;
      this.#held.splice(place, 1);
      held.cancel = held.send();
    }
  }

  #keep(held: Held): Cancel {
    this.#held.push(held);
    return () => {
      const place = this.#held.indexOf(held);
      if (place === -1) {
        held.cancel?.();
        return;
      }
      this.#held.splice(place, 1);
      held.reply(Outcome.error(RpcError.cancelled()));
    };
  }
}
