import { sessionIdOf } from "../../../base/acp/session-message.js";
import type { NotificationHandler } from "../../../conductor/chain/proxy.js";
import { asObject } from "../../../base/rpc/json.js";
import type { Notification } from "../../../base/rpc/message.js";
import type { Peer } from "../../../base/rpc/peer.js";
import type { ResearchSessionState } from "./research-session-state.js";

/** Hides updates of research sessions from the user, including updates that arrive before the session's id is known. */
export class SessionFilter {
  /** Includes ended sessions, to drop their late messages. */
  readonly #research = new Map<string, ResearchSessionState>();
  readonly #ofUser = new Set<string>();
  #held: Notification[] = [];
  #opening = 0;

  constructor(private readonly client: Peer) {}

  research(sessionId: unknown): ResearchSessionState | undefined {
    return typeof sessionId === "string" ? this.#research.get(sessionId) : undefined;
  }

  /** Marks a session as the user's, so that its updates pass while a research session opens. */
  noteUser(sessionId: unknown): void {
    if (typeof sessionId === "string") this.#ofUser.add(sessionId);
  }

  /** Queues updates of unknown sessions until {@link opened}. */
  opening(): void {
    this.#opening++;
  }

  /** Called with the opened session's id, or undefined after a failure. Delivers the queued updates. */
  opened(sessionId: string | undefined, session: ResearchSessionState): void {
    this.#opening--;
    if (sessionId !== undefined) this.#research.set(sessionId, session);
    const waiting = this.#held;
    this.#held = [];
    for (const notification of waiting) {
      const passed = this.filter(notification);
      if (passed) this.client.notify(passed);
    }
  }

  /** Handles an agent notification with a session id. */
  readonly filter: NotificationHandler = (notification) => {
    if (this.#opening === 0 && this.#research.size === 0) return notification;
    const sessionId = sessionIdOf(notification.params);
    const session = this.research(sessionId);
    if (session) {
      session.update(asObject(notification.params?.object?.["update"]) ?? {});
      return undefined;
    }
    if (this.#opening === 0 || sessionId === undefined || this.#ofUser.has(sessionId)) return notification;
    this.#held.push(notification);
    return undefined;
  };
}
