import { AgentConnection, type AgentConnectionOptions, type OpenAgent } from "./agent-connection.js";

export interface AgentChainsOptions {
  readonly clientInfo: AgentConnectionOptions["clientInfo"];
  /** A chain has failed: its sessions are gone. */
  readonly onFailure: (connection: AgentConnection) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Chain {
  readonly connecting: Promise<AgentConnection>;
  /** What that resolved to. */
  connection?: AgentConnection;
  /** How many sessions it has. */
  leases: number;
  /** When it was last asked for or given back. */
  usedAt: number;
}

/**
 * The chains that run, started when they are first asked for: one for each key; of agents whose sessions would get each
 * other's calls, one for each session.
 */
export class AgentChains implements AsyncDisposable {
  readonly #chains = new Map<string, Chain[]>();
  #isClosed = false;

  constructor(private readonly options: AgentChainsOptions) {}

  /** Any connection to the agent, for questions. Rejects with a `ModelFailure`, and starts it anew the next time. */
  connect(key: string, open: OpenAgent): Promise<AgentConnection> {
    const [known] = this.#chains.get(key) ?? [];
    if (known) known.usedAt = this.#now;
    return (known ?? this.#start(key, open)).connecting;
  }

  /** The connection for one more session, until {@link release}. Rejects as {@link connect} does. */
  async lease(key: string, open: OpenAgent): Promise<AgentConnection> {
    for (const chain of this.#chains.get(key) ?? []) {
      const { traits, hasFailed } = await chain.connecting;
      // It may have ended meanwhile.
      const isThere = !hasFailed && this.#chains.get(key)?.includes(chain) === true;
      if (!isThere || (traits.sharesServers && chain.leases > 0)) continue;
      chain.leases++;
      chain.usedAt = this.#now;
      return chain.connecting;
    }
    const started = this.#start(key, open);
    started.leases++;
    return started.connecting;
  }

  /** A session is over. With the last one of a chain that is useless now, the chain ends. */
  async release(connection: AgentConnection, isUseless = false): Promise<void> {
    for (const [key, chains] of [...this.#chains]) {
      for (const chain of chains) {
        if (chain.connection !== connection) continue;
        chain.leases--;
        chain.usedAt = this.#now;
        // An agent that shares servers would offer the tools of the session that is over to the next one.
        if ((connection.traits.sharesServers || isUseless) && chain.leases === 0) await this.#end(key, chain);
      }
    }
  }

  /** Ends the chains that have no session, and that nobody has asked for as long. */
  async endIdle(unusedMs = 0): Promise<void> {
    const limit = this.#now - unusedMs;
    const idle = [...this.#chains].flatMap(([key, chains]) =>
      chains.flatMap((chain) => (chain.leases === 0 && chain.usedAt <= limit ? [{ key, chain }] : [])),
    );
    await Promise.all(idle.map(({ key, chain }) => this.#end(key, chain)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const chains = [...this.#chains.values()].flat();
    this.#chains.clear();
    await Promise.all(
      chains.map(async ({ connecting }) => (await connecting.catch(() => undefined))?.[Symbol.asyncDispose]()),
    );
  }

  get #now(): number {
    return this.options.now?.() ?? 0;
  }

  #start(key: string, open: OpenAgent): Chain {
    const { clientInfo, onFailure } = this.options;
    const connecting: Promise<AgentConnection> = this.#isClosed
      ? Promise.reject(new Error("The process is ending."))
      : AgentConnection.connect({
          open,
          clientInfo,
          onFailure: () => {
            connecting.then(onFailure, () => undefined);
            void this.#end(key, chain);
          },
        });
    const chain: Chain = { connecting, leases: 0, usedAt: this.#now };
    this.#chains.set(key, [...(this.#chains.get(key) ?? []), chain]);
    connecting.then(
      (connection) => (chain.connection = connection),
      () => this.#forget(key, chain),
    );
    return chain;
  }

  async #end(key: string, chain: Chain): Promise<void> {
    this.#forget(key, chain);
    const connection = await chain.connecting.catch(() => undefined);
    // However it ends, nobody has it any more.
    await connection?.[Symbol.asyncDispose]().catch(() => undefined);
  }

  #forget(key: string, chain: Chain): void {
    const others = (this.#chains.get(key) ?? []).filter((other) => other !== chain);
    if (others.length > 0) this.#chains.set(key, others);
    else this.#chains.delete(key);
  }
}
