import { type AgentLease, AgentPool } from "../client/agent-pool.js";
import { AgentConnection, type AgentConnectionOptions, type OpenAgent } from "./agent-connection.js";

export interface AgentChainsOptions {
  readonly clientInfo: AgentConnectionOptions["clientInfo"];
  /** A chain has failed: its sessions are gone. */
  readonly onFailure: (connection: AgentConnection) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * The chains that language models run on, out of the pool of agents: one for each key; of agents whose sessions would get
 * each other's calls, one for each session.
 */
export class AgentChains implements AsyncDisposable {
  readonly #pool: AgentPool<AgentConnection>;
  readonly #leases = new Map<AgentConnection, AgentLease<AgentConnection>[]>();

  constructor(private readonly options: AgentChainsOptions) {
    const { now = () => 0 } = options;
    this.#pool = new AgentPool({ now, isExclusive: ({ traits }) => traits.sharesServers });
  }

  /** Any connection to the agent, for questions. Rejects with a `ModelFailure`, and starts it anew the next time. */
  connect(key: string, open: OpenAgent): Promise<AgentConnection> {
    return this.#pool.connect(key, this.#start(open));
  }

  /** The connection for one more session, until {@link release}. Rejects as {@link connect} does. */
  async lease(key: string, open: OpenAgent): Promise<AgentConnection> {
    const lease = this.#pool.lease(key, this.#start(open));
    try {
      const connection = await lease.connect();
      this.#leases.set(connection, [...(this.#leases.get(connection) ?? []), lease]);
      return connection;
    } catch (failure) {
      await lease.release();
      throw failure;
    }
  }

  /** A session is over. With the last one of a chain that is useless now, the chain ends. */
  async release(connection: AgentConnection, isUseless = false): Promise<void> {
    const [lease, ...others] = this.#leases.get(connection) ?? [];
    if (others.length > 0) this.#leases.set(connection, others);
    else this.#leases.delete(connection);
    await lease?.release(isUseless);
  }

  /** Ends the chains that have no session, and that nobody has asked for as long. */
  endIdle(unusedMs = 0): Promise<void> {
    return this.#pool.endIdle(unusedMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }

  #start(open: OpenAgent): () => AgentConnection {
    return () => {
      const { clientInfo, onFailure } = this.options;
      const connection = new AgentConnection({ open, clientInfo });
      void connection.ended.then((failure) => {
        if (!failure) return;
        onFailure(connection);
        for (const lease of this.#leases.get(connection) ?? []) void lease.release();
        this.#leases.delete(connection);
      });
      return connection;
    };
  }
}
