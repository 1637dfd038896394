import { acpMethods } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { type Notification, Outcome, type Request } from "../../base/rpc/message.js";
import type { Cancel, Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";

/** The requests of a client about a session, prompts apart, which must not overtake the one that opens it. */
export const heldMethods: readonly string[] = [
  acpMethods.sessionClose,
  acpMethods.sessionDelete,
  acpMethods.setMode,
  acpMethods.setModel,
  acpMethods.setConfigOption,
];

/** Messages toward the agent that wait, in the order in which they came. */
export class QueuedMessages {
  #waiting: HeldPlace[] = [];

  /** Whether a message of this session waits. */
  has(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#waiting.some((place) => place.sessionId === sessionId);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Sends a request behind those of its session that wait. */
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

  /** The same for a notification. Returns false where nothing of its session waits: then it is the caller's to send. */
  notify(notification: Notification, send: () => void): boolean {
    const sessionId = this.isEmpty ? undefined : sessionIdOf(notification.params);
    if (!this.has(sessionId)) return false;
    this.add(sessionId).ready(send);
    return true;
  }

  /** A place at the end of the line, for a message of that session. */
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

/** The place of one message in the line. */
class HeldPlace {
  send: (() => void) | undefined;

  constructor(
    readonly sessionId: string | undefined,
    private readonly line: { readonly leave: () => boolean; readonly ready: () => void },
  ) {}

  /** Has it sent as soon as all before it are gone. Does nothing once it has left the line. */
  ready(send: () => void): void {
    this.send = send;
    this.line.ready();
  }

  /** Whether it was still there. */
  leave(): boolean {
    return this.line.leave();
  }
}
