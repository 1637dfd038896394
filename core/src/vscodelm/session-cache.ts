import type { AgentConnection } from "../model/agent-connection.js";
import type { ChatSession } from "./chat-session.js";

/** How many sessions are kept for a conversation that may go on, and how many that are part of none. */
const mostSessions = 32;
const mostAside = 4;
/** The same for sessions that have a process of their own. */
const mostAlone = 4;
/** How long they are kept unused; where the editor owes a result, a person may be thinking. */
const idleLimitMs = 60 * 60_000;
const awaitingLimitMs = 12 * 60 * 60_000;

/** The sessions that requests may go on in: bounded, and closed when nobody has used them for long. */
export class SessionCache {
  readonly #sessions = new Set<ChatSession>();

  /** `now` in milliseconds since 1970; `onClosed` hears of every session that is over, by its connection. */
  constructor(
    private readonly now: () => number,
    private readonly onClosed: (connection: AgentConnection) => void,
  ) {}

  /** The sessions that a request may belong to. */
  get living(): readonly ChatSession[] {
    return [...this.#sessions].filter(({ connection }) => !connection.hasFailed);
  }

  add(session: ChatSession): void {
    session.usedAt = this.now();
    this.#sessions.add(session);
  }

  /** The session is free for the next request. */
  release(session: ChatSession): void {
    session.isTaken = false;
    session.askUser = undefined;
    session.usedAt = this.now();
    if (session.isAside && session.phase === "idle" && isAlone(session)) this.drop(session);
  }

  /** Takes the session out and closes it. */
  drop(session: ChatSession): void {
    if (!this.#sessions.delete(session)) return;
    void session.close().finally(() => this.onClosed(session.connection));
  }

  /** Takes the sessions of a connection out that is gone. */
  forget(connection: AgentConnection): void {
    for (const session of this.#sessions) if (session.connection === connection) this.#sessions.delete(session);
  }

  /** Closes what is too old or too much; what the editor owes a result last. */
  expire(): void {
    const now = this.now();
    const free = [...this.#sessions].filter(({ isTaken }) => !isTaken).sort(byUse);
    for (const session of free) {
      const limit = session.phase === "idle" ? idleLimitMs : awaitingLimitMs;
      if (session.usedAt < now - limit) this.drop(session);
    }
    const aside = free.filter((session) => session.isAside && this.#sessions.has(session));
    for (const session of aside.slice(0, Math.max(0, aside.length - mostAside))) this.drop(session);
    const alone = free.filter((session) => isAlone(session) && this.#sessions.has(session));
    for (const session of alone.slice(0, Math.max(0, alone.length - mostAlone))) this.drop(session);
    const others = free.filter((session) => this.#sessions.has(session));
    for (const session of others.slice(0, Math.max(0, this.#sessions.size - mostSessions))) this.drop(session);
  }
}

function isAlone({ connection }: ChatSession): boolean {
  return connection.traits.sharesServers;
}

function byUse(one: ChatSession, other: ChatSession): number {
  return Number(one.phase !== "idle") - Number(other.phase !== "idle") || one.usedAt - other.usedAt;
}
