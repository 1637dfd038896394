import type { LineChannel } from "../../base/line-channel.js";
import type { ChainFailure } from "../chain/failure.js";
import type { Json } from "../../base/rpc/json.js";
import type { Outcome, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";

/** A chain as it is started: the side the client calls, and its end. */
export interface OpenedChain extends AsyncDisposable {
  readonly fromClient: Peer;
}

/** What a chain that is started gets of its surroundings. */
export interface ChainHooks {
  readonly clientChannel?: LineChannel;
  onFailure(failure: ChainFailure): void;
  /** Whoever hears of the failure says it. */
  readonly reportsFailure: true;
  readonly agentSwitch: AgentSwitch;
}

/** What an agent of ours gets that lets its user choose another one: it hands its sessions over to that. */
export interface AgentSwitch {
  /** To be called first: from then on each session gets its prompts one at a time, so that none is lost on the way. */
  register(): void;
  /** Starts another chain, once, for all sessions that are to be handed over to it. */
  start(next: NextChain): StartedChain;
}

export interface NextChain {
  /** What has to be done before the chain is started. A rejection keeps it from starting. */
  readonly before: Promise<unknown>;
  open(client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  /** It has ended by itself, as `text` says: what waited for it has been answered, and the sessions are back. */
  onFailure(text: string): void;
}

export interface StartedChain {
  /** The answer to `initialize`, or the error that kept the chain from getting there. */
  readonly initialized: Promise<Outcome>;
  /** The result of `initialize`; null before. */
  readonly initializeResult: Json;
  /** Sends a request of the agent that started it, after `initialize`. */
  request(request: Request, reply: Reply): Cancel;
  /**
   * Puts a session into it, with the result of the `session/new` that has opened it there. `withPrompt`: its open prompt
   * is for that agent, too, and whatever it is answered with here goes nowhere.
   */
  handOver(sessionId: string, opened: Json, withPrompt: boolean): void;
  /** Ends the chain; nothing of it reaches the client any more. */
  stop(): void;
}
