/** Maximum number of remembered sessions; the oldest are dropped. */
export const mostKnown = 500;

/** The client's id of a session, the agent's id of the same session, and the id of the agent. */
export type KnownSession = readonly [clientId: string, agentId: string, agent: string];

export interface KnownSessionsStore {
  /** Stores a session as the most recent one. */
  keep(session: KnownSession): void;
  forget(clientId: string): void;
}

/**
 * Remembers sessions that have a prompt or whose client and agent use different ids. The client can load them later with the right agent,
 * even from another process.
 */
export class KnownSessions {
  readonly #sessions: Map<string, KnownSession>;
  readonly #clientIds: Map<string, string>;

  /** `known` lists the oldest session first; `store` gets each change. */
  constructor(
    known: readonly KnownSession[],
    private readonly store: KnownSessionsStore,
  ) {
    this.#sessions = new Map(known.map((session) => [session[0], session]));
    this.#clientIds = new Map(known.map(([clientId, agentId]) => [agentId, clientId]));
  }

  add(clientId: string, agentId: string, agent: string): void {
    const before = this.#sessions.get(clientId);
    if (before?.[1] === agentId && before[2] === agent) return;
    this.#forget(clientId);
    const session: KnownSession = [clientId, agentId, agent];
    this.#sessions.set(clientId, session);
    this.#clientIds.set(agentId, clientId);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > mostKnown && oldest !== undefined) this.#forget(oldest);
    this.store.keep(session);
  }

  forget(clientId: string): void {
    if (!this.#sessions.has(clientId)) return;
    this.#forget(clientId);
    this.store.forget(clientId);
  }

  agentOf(clientId: string): string | undefined {
    return this.#sessions.get(clientId)?.[2];
  }

  /** Returns the agent's id of a session; undefined if it equals the client's id. */
  agentIdOf(clientId: string): string | undefined {
    const agentId = this.#sessions.get(clientId)?.[1];
    return agentId === clientId ? undefined : agentId;
  }

  /** Returns the client's id of a session; undefined if it equals the agent's id. */
  clientIdOf(agentId: string): string | undefined {
    const clientId = this.#clientIds.get(agentId);
    return clientId === agentId ? undefined : clientId;
  }

  #forget(clientId: string): void {
    const agentId = this.#sessions.get(clientId)?.[1];
    if (agentId !== undefined) this.#clientIds.delete(agentId);
    this.#sessions.delete(clientId);
  }
}
