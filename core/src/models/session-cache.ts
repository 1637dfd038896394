import type { AgentConnection } from "./agent-connection.js";
import type { ModelSession } from "./model-session.js";

/** Maximum number of sessions for conversations, and of sessions outside any conversation. */
const mostSessions = 32;
const mostAside = 4;
/** Maximum number of sessions with their own process. */
const mostAlone = 4;

export interface SessionCacheOptions {
  /** Maximum number of idle sessions without a pending result, since many agents run a process per session. */
  readonly mostIdle?: number;
  /** Milliseconds that an unused session stays open. */
  readonly idleMs: number;
  /** Milliseconds that a session waits for a result; a person may be thinking. */
  readonly awaitingMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Sessions that requests can continue; limited in number and closed when unused. */
export class SessionCache {
  readonly #sessions = new Set<ModelSession>();

  constructor(private readonly options: SessionCacheOptions) {}

  get living(): readonly ModelSession[] {
    return [...this.#sessions].filter(({ connection }) => !connection.hasFailed);
  }

  add(session: ModelSession): void {
    session.usedAt = this.options.now();
    this.#sessions.add(session);
  }

  release(session: ModelSession): void {
    session.isTaken = false;
    session.askUser = undefined;
    session.usedAt = this.options.now();
    if (session.isAside && session.phase === "idle" && isAlone(session)) this.drop(session);
    this.expire();
  }

  drop(session: ModelSession): void {
    if (!this.#sessions.delete(session)) return;
    void session.close();
  }

  forget(connection: AgentConnection): void {
    for (const session of this.#sessions) {
      if (session.connection !== connection) continue;
      this.#sessions.delete(session);
      void session.release();
    }
  }

  /** Closes expired and excess sessions, assuming that `more` sessions will be added. Closes sessions with a pending result last. */
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
