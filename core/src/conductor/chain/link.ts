import type { Notification, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";

/** The two sides a member of the chain talks to. */
export interface Neighbours {
  /** Toward the editor. */
  readonly client: Peer;
  /** Toward the agent. */
  readonly successor: Peer;
}

/** A member of the chain, as its neighbours see it. */
export interface Link {
  readonly name: string;
  /** What the neighbour toward the editor calls. */
  readonly fromClient: Peer;
  /** What the neighbour toward the agent calls. */
  readonly fromSuccessor: Peer;
}

/** Stands for a neighbour that is connected later, so that links can be made in any order. */
export class PeerSlot implements Peer {
  #target: Peer | undefined;

  connectTo(target: Peer): void {
    this.#target = target;
  }

  request(request: Request, reply: Reply): Cancel {
    return this.#connected.request(request, reply);
  }

  notify(notification: Notification): void {
    this.#connected.notify(notification);
  }

  get #connected(): Peer {
    if (!this.#target) throw new Error("a link was used before its chain was connected");
    return this.#target;
  }
}
