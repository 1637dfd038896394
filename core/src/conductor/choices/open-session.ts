import { acpMethods } from "../../base/acp/methods.js";
import { Json, stringOf } from "../../base/rpc/json.js";
import { Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { AgentOffers } from "./agent-offers.js";
import type { RunningChain } from "./running-chain.js";
import { textUpdate } from "./session-messages.js";

interface Held {
  readonly send: () => Cancel;
  readonly reply: Reply;
  readonly isPrompt: boolean;
  cancel?: Cancel;
}

/** A running prompt that its agent may hand over to another agent. */
interface OpenTurn {
  readonly request: Request;
  readonly reply: Reply;
  cancel: Cancel;
}

/** The chain that a session leaves while the session tries another chain. */
interface Left {
  readonly chain: RunningChain;
  readonly agentId: string;
  /**
   * Called when the first prompt in the new chain is answered. `failure` is set if the prompt failed and the session returned to the old
   * chain.
   */
  readonly tried: (failure: Outcome | undefined) => void;
}

export class OpenSession {
  #chain: RunningChain;
  #agentId: string;
  #hasHistory: boolean;
  #openTurns = 0;
  /** The prompt that may be handed over; later prompts wait for its answer. */
  #turn: OpenTurn | undefined;
  /** The session's id at the agent that handed the session over. */
  #homeId: string | undefined;
  #left: Left | undefined;
  /** Number of callers that make client messages wait. */
  #holds = 0;
  readonly #held: Held[] = [];

  /**
   * `opening` are the parameters of the request that opened the session, if known. A session without history (`hasHistory`) is new.
   * `agentId` is the session's id at the chain's agent.
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

  get agentId(): string {
    return this.#agentId;
  }

  get folder(): string | undefined {
    const cwd = this.opening?.object?.["cwd"];
    return stringOf(cwd);
  }

  isIn(chain: RunningChain, agentId: string): boolean {
    return this.#chain === chain && this.#agentId === agentId;
  }

  get offers(): AgentOffers {
    return this.#chain.offersOf(this.#agentId);
  }

  /** Whether no agent has received a prompt in this session. */
  get isFresh(): boolean {
    return !this.#hasHistory;
  }

  /** Sends a request to the session's chain, or queues it while the session moves. */
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

  /** Cancels prompts (`session/cancel`). Queued prompts are answered by Symposium, since the agent never received them. */
  cancel(notification: Notification): void {
    const waiting = this.#held.filter(({ isPrompt }) => isPrompt);
    for (const held of waiting) {
      this.#held.splice(this.#held.indexOf(held), 1);
      held.reply(Outcome.of({ stopReason: "cancelled" }));
    }
    if (waiting.length === 0 || this.#turn) this.notify(notification);
  }

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

  /** Moves the session to `chain`, whose agent uses the id `agentId`, and abandons the session at the old agent. */
  moveTo(chain: RunningChain, agentId: string): void {
    const [left, leftId] = [this.#chain, this.#agentId];
    this.#leaveHome();
    this.#goTo(chain, agentId);
    left.abandon(leftId);
  }

  /** Moves the session like {@link moveTo}, but keeps it open at the old agent so that it can {@link comeBack}. */
  handOver(chain: RunningChain, agentId: string): void {
    this.#homeId = this.#agentId;
    this.#goTo(chain, agentId);
  }

  /**
   * Moves the session to `chain`, which continues the conversation. The old session stays open until the first prompt is answered, and
   * takes over again if that prompt fails and the old chain still runs.
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

  resendPrompt(): void {
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    this.#openTurns--;
    turn.cancel = this.#sendPrompt(turn.request, turn.reply);
    this.#sendHeld();
  }

  /**
   * Returns the session to `home`, the chain that handed the session over, because the new agent is gone. Returns false if no chain handed
   * the session over.
   */
  comeBack(home: RunningChain): boolean {
    const homeId = this.#homeId;
    if (homeId === undefined) return false;
    this.#homeId = undefined;
    this.#goTo(home, homeId);
    return true;
  }

  end(): void {
    this.#leave();
    this.#leaveHome();
    this.#chain.remove(this.id, this.#agentId);
  }

  /** Whether no prompt is running. */
  get isQuiet(): boolean {
    return this.#openTurns === 0;
  }

  say(text: string): void {
    this.client.notify(textUpdate(this.id, `${text}\n\n`));
  }

  /** Sends a session update to the client; `update` is inserted unmodified. */
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
