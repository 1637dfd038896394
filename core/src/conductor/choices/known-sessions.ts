/** How many are remembered; the oldest ones go. */
export const mostKnown = 500;

/** What a client calls a session, what its agent does, and which of the agents that can be chosen it is with. */
export type KnownSession = readonly [clientId: string, agentId: string, agent: string];

/** Where known sessions stay. */
export interface KnownSessionsStore {
  /** This one is the latest from now on. */
  keep(session: KnownSession): void;
  forget(clientId: string): void;
}

/**
 * Sessions that somebody has talked in, or that their client knows by another id than their agent, since they moved to it:
 * remembered, so that the client can load them again later, with their own agent and also from another process.
 */
export class KnownSessions {
  readonly #sessions: Map<string, KnownSession>;
  readonly #clientIds: Map<string, string>;

  /** `known` oldest first; `store` hears of each change. */
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

  /** It was deleted. */
  forget(clientId: string): void {
    if (!this.#sessions.has(clientId)) return;
    this.#forget(clientId);
    this.store.forget(clientId);
  }

  /** The agent that a session is with. */
  agentOf(clientId: string): string | undefined {
    return this.#sessions.get(clientId)?.[2];
  }

  /** What the agent calls a session; undefined where it is what the client does. */
  agentIdOf(clientId: string): string | undefined {
    const agentId = this.#sessions.get(clientId)?.[1];
    return agentId === clientId ? undefined : agentId;
  }

  /** What the client calls a session of an agent; undefined where it is what the agent does. */
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
