import type { AgentConnection } from "./agent-connection.js";
import type { ModelSession } from "./model-session.js";

/** How many sessions are kept for a conversation that may go on, and how many that are part of none. */
const mostSessions = 32;
const mostAside = 4;
/** The same for sessions that have a process of their own. */
const mostAlone = 4;

export interface SessionCacheOptions {
  /** How many sessions are kept whose client owes them nothing: many agents run a process for each. */
  readonly mostIdle?: number;
  /** How long a session is kept unused. */
  readonly idleMs: number;
  /** The same where the client owes a result: a person may be thinking. */
  readonly awaitingMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The sessions that requests may go on in: bounded, and closed when nobody has used them for long. */
export class SessionCache {
  readonly #sessions = new Set<ModelSession>();

  constructor(private readonly options: SessionCacheOptions) {}

  /** The sessions that a request may belong to. */
  get living(): readonly ModelSession[] {
    return [...this.#sessions].filter(({ connection }) => !connection.hasFailed);
  }

  add(session: ModelSession): void {
    session.usedAt = this.options.now();
    this.#sessions.add(session);
  }

  /** The session is free for the next request. */
  release(session: ModelSession): void {
    session.isTaken = false;
    session.askUser = undefined;
    session.usedAt = this.options.now();
    if (session.isAside && session.phase === "idle" && isAlone(session)) this.drop(session);
    this.expire();
  }

  /** Takes the session out and closes it. */
  drop(session: ModelSession): void {
    if (!this.#sessions.delete(session)) return;
    void session.close();
  }

  /** Takes the sessions of a connection out that is gone. */
  forget(connection: AgentConnection): void {
    for (const session of this.#sessions) {
      if (session.connection !== connection) continue;
      this.#sessions.delete(session);
      void session.release();
    }
  }

  /** Closes what is too old, and what is too much with `more` sessions to come; what the client owes a result last. */
  expire(more = 0): void {
    const { now, idleMs, awaitingMs, mostIdle = mostSessions } = this.options;
    const isKept = (session: ModelSession): boolean => this.#sessions.has(session);
    const free = [...this.#sessions].filter(({ isTaken }) => !isTaken).sort(byUse);
    for (const session of free) {
      const limitMs = session.phase === "idle" ? idleMs : awaitingMs;
      if (session.usedAt < now() - limitMs) this.drop(session);
    }
    const aside = free.filter((session) => session.isAside && isKept(session));
    this.#dropFirst(aside, aside.length - mostAside);
    const alone = free.filter((session) => isAlone(session) && isKept(session));
    this.#dropFirst(alone, alone.length - mostAlone);
    const idle = free.filter((session) => session.phase === "idle" && isKept(session));
    this.#dropFirst(idle, idle.length - mostIdle);
    this.#dropFirst(free.filter(isKept), this.#sessions.size - mostSessions + more);
  }

  #dropFirst(sessions: readonly ModelSession[], count: number): void {
    for (const session of sessions.slice(0, Math.max(0, count))) this.drop(session);
  }
}

function isAlone({ connection }: ModelSession): boolean {
  return connection.traits.sharesServers;
}

function byUse(one: ModelSession, other: ModelSession): number {
  return Number(one.phase !== "idle") - Number(other.phase !== "idle") || one.usedAt - other.usedAt;
}
