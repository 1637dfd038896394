import type { LineChannel } from "../../base/line-channel-contract.js";
import type { ChainFailure } from "../chain/failure.js";
import type { Json } from "../../base/rpc/json.js";
import type { Outcome, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";

export interface OpenedChain extends AsyncDisposable {
  readonly fromClient: Peer;
}

export interface ChainHooks {
  readonly clientChannel?: LineChannel;
  onFailure(failure: ChainFailure): void;
  /** The receiver of the failure reports it to the user. */
  readonly reportsFailure: true;
  readonly agentSwitch: AgentSwitch;
}

/** Lets a Symposium agent hand its sessions over to another agent that the user chooses. */
export interface AgentSwitch {
  /** Must be called first. Afterwards each session gets its prompts one at a time, so that no prompt is lost during a handover. */
  register(): void;
  start(next: NextChain): StartedChain;
}

export interface NextChain {
  /** Resolves when the chain may start; a rejection prevents the start. */
  readonly before: Promise<unknown>;
  open(client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  /** Called if the chain ends by itself; `text` describes the failure. Pending requests have been answered, and the sessions are back. */
  onFailure(text: string): void;
}

export interface StartedChain {
  readonly initialized: Promise<Outcome>;
  /** Result of `initialize`; null before the answer. */
  readonly initializeResult: Json;
  request(request: Request, reply: Reply): Cancel;
  /**
   * Hands a session over to the new chain; `opened` is the result of the `session/new` that opened the session there. `withPrompt` also
   * hands over the open prompt; the old agent's later answers to that prompt are dropped.
   */
  handOver(sessionId: string, opened: Json, withPrompt: boolean): void;
  stop(): void;
}
