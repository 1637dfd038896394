import type { Peer } from "../rpc/peer.js";

/**
 * An agent that runs in this process: it ends a chain. Whoever writes one answers every request, sends
 * updates through `client`, and expects messages in ACP v1 shapes.
 */
export interface Agent {
  readonly name: string;
  /** Joins a chain; called once for each chain. `client` is the side toward the editor. */
  connect(client: Peer): ConnectedAgent;
}

export interface ConnectedAgent extends Partial<AsyncDisposable> {
  /** What the side toward the editor calls. */
  readonly fromClient: Peer;
}
