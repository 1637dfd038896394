/** How many are remembered; the oldest ones go. */
export const mostMoved = 500;

/** What a client calls a session, and what its agent does. */
export type MovedSession = readonly [clientId: string, agentId: string];

/**
 * Sessions that their client knows by another id than their agent, since they moved to it: remembered, so that the client
 * can load them again later, also from another process.
 */
export class MovedSessions {
  readonly #agentIds: Map<string, string>;
  readonly #clientIds: Map<string, string>;

  /** `keep` gets all of them, oldest first, after each change. */
  constructor(
    known: readonly MovedSession[],
    private readonly keep: (all: readonly MovedSession[]) => void,
  ) {
    this.#agentIds = new Map(known);
    this.#clientIds = new Map(known.map(([clientId, agentId]) => [agentId, clientId]));
  }

  add(clientId: string, agentId: string): void {
    const before = this.#agentIds.get(clientId);
    if (before === agentId) return;
    this.#forget(clientId);
    this.#agentIds.set(clientId, agentId);
    this.#clientIds.set(agentId, clientId);
    const [oldest] = this.#agentIds.keys();
    if (this.#agentIds.size > mostMoved && oldest !== undefined) this.#forget(oldest);
    this.keep([...this.#agentIds]);
  }

  /** What the agent calls a session; undefined where it is what the client does. */
  agentIdOf(clientId: string): string | undefined {
    return this.#agentIds.get(clientId);
  }

  /** What the client calls a session of an agent; undefined where it is what the agent does. */
  clientIdOf(agentId: string): string | undefined {
    return this.#clientIds.get(agentId);
  }

  #forget(clientId: string): void {
    const agentId = this.#agentIds.get(clientId);
    if (agentId !== undefined) this.#clientIds.delete(agentId);
    this.#agentIds.delete(clientId);
  }
}
