import { acpMethods } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { type Notification, Outcome, type Request } from "../../base/rpc/message.js";
import type { Cancel, Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";

/** Client requests about a session, except prompts, that must not overtake the request that opens it. */
export const heldMethods: readonly string[] = [
  acpMethods.sessionClose,
  acpMethods.sessionDelete,
  acpMethods.setMode,
  acpMethods.setModel,
  acpMethods.setConfigOption,
];

/** Queue of messages toward the agent, in order of arrival. */
export class QueuedMessages {
  #waiting: HeldPlace[] = [];

  has(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#waiting.some((place) => place.sessionId === sessionId);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Sends a request after all queued messages of the request's session. */
  request(request: Request, reply: Reply, send: () => Cancel): Cancel {
    if (this.isEmpty) return send();
    const sessionId = sessionIdOf(request.params);
    if (!this.has(sessionId)) return send();
    const place = this.add(sessionId);
    let sent: Cancel | undefined;
    place.ready(() => (sent = send()));
    return () => {
      if (sent) sent();
      else if (place.leave()) reply(Outcome.error(RpcError.cancelled()));
    };
  }

  /**
   * Queues a notification behind queued messages of the notification's session. Returns false if there are none; the caller then sends the
   * notification.
   */
  notify(notification: Notification, send: () => void): boolean {
    const sessionId = this.isEmpty ? undefined : sessionIdOf(notification.params);
    if (!this.has(sessionId)) return false;
    this.add(sessionId).ready(send);
    return true;
  }

  /** Reserves the last place in the queue for a message of the given session. */
  add(sessionId: string | undefined): HeldPlace {
    const place = new HeldPlace(sessionId, {
      leave: () => {
        const index = this.#waiting.indexOf(place);
        if (index !== -1) this.#waiting.splice(index, 1);
        this.#sendReady();
        return index !== -1;
      },
      ready: () => this.#sendReady(),
    });
    this.#waiting.push(place);
    return place;
  }

  #sendReady(): void {
    for (let first = this.#waiting[0]; first?.send; first = this.#waiting[0]) {
      this.#waiting.shift();
      first.send();
    }
  }
}

class HeldPlace {
  send: (() => void) | undefined;

  constructor(
    readonly sessionId: string | undefined,
    private readonly line: { readonly leave: () => boolean; readonly ready: () => void },
  ) {}

  /** Sends the message once all earlier messages have left the queue. No effect after the message itself has left the queue. */
  ready(send: () => void): void {
    this.send = send;
    this.line.ready();
  }

  leave(): boolean {
    return this.line.leave();
  }
}
