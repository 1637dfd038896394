import type { Notification, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";

export interface Neighbours {
  /** Peer toward the editor. */
  readonly client: Peer;
  /** Peer toward the agent. */
  readonly successor: Peer;
}

export interface Link {
  readonly name: string;
  readonly fromClient: Peer;
  readonly fromSuccessor: Peer;
}

/** Placeholder for a neighbor connected later, so that links can be created in any order. */
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
