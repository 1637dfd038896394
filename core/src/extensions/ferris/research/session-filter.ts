import { sessionIdOf } from "../../../base/acp/session-message.js";
import type { NotificationHandler } from "../../../conductor/chain/proxy.js";
import { asObject } from "../../../base/rpc/json.js";
import type { Notification } from "../../../base/rpc/message.js";
import type { Peer } from "../../../base/rpc/peer.js";
import type { ResearchProgress } from "./research-progress.js";

/** Keeps the updates of research sessions from the user, also those that come before the session is known to be one. */
export class SessionFilter {
  /** Ended ones stay: their late messages are nobody's. */
  readonly #research = new Map<string, ResearchProgress>();
  readonly #ofUser = new Set<string>();
  #held: Notification[] = [];
  #opening = 0;

  constructor(private readonly client: Peer) {}

  research(sessionId: unknown): ResearchProgress | undefined {
    return typeof sessionId === "string" ? this.#research.get(sessionId) : undefined;
  }

  /** The session is the user's, whoever else is being opened. */
  noteUser(sessionId: unknown): void {
    if (typeof sessionId === "string") this.#ofUser.add(sessionId);
  }

  /** A research session is being opened: until {@link opened}, updates of unknown sessions wait. */
  opening(): void {
    this.#opening++;
  }

  /** The agent has answered, with an id or a failure. What waited goes where it belongs. */
  opened(sessionId: string | undefined, session: ResearchProgress): void {
    this.#opening--;
    if (sessionId !== undefined) this.#research.set(sessionId, session);
    const waiting = this.#held;
    this.#held = [];
    for (const notification of waiting) {
      const passed = this.filter(notification);
      if (passed) this.client.notify(passed);
    }
  }

  /** Handles one notification of the agent that carries a session id. */
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
