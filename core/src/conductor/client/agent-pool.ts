import type { AgentFailure } from "./agent-errors.js";

/** An agent that is starting or running. Disposing this object ends the agent at any time and resolves when the agent is gone. */
export interface PooledAgent<R = unknown> extends AsyncDisposable {
  /** Resolves when the agent has answered `initialize`; rejects if it fails to start. */
  readonly ready: Promise<R>;
  /** Resolves when the agent is gone: with the failure, or with undefined if Symposium ended the agent. Never rejects. */
  readonly ended: Promise<AgentFailure | undefined>;
}

type Ready<P extends PooledAgent> = Awaited<P["ready"]>;

export interface LeaseListener {
  /** Called when the agent exited unexpectedly. `restartMs` is the delay before an automatic restart; undefined if the user must decide. */
  crashed(failure: AgentFailure, restartMs: number | undefined): void;
  /** Called when the user restarts the agent: the agent and all of its sessions end, then a new agent can be connected. */
  replaced?(): void;
}

export interface CrashPolicy {
  /** Records a crash. Returns the delay before the restart in milliseconds; undefined if the user should decide about the restart. */
  afterCrash(now: number): number | undefined;
  /** Forgets earlier crashes, because the user restarted the agent. */
  reset(): void;
}

export interface AgentPoolOptions<P extends PooledAgent> {
  /** Whether each session needs its own agent, because the agent would mix the MCP servers of its sessions. */
  isExclusive?(agent: Ready<P>): boolean;
  /** Milliseconds before an unused agent is ended; if undefined, the agent runs until {@link AgentPool.endIdle}. */
  readonly idleMs?: number;
  /** Creates one policy per agent. Without policies, no agent restarts automatically. */
  crashPolicy?(): CrashPolicy;
  readonly now?: () => number;
}

/**
 * Starts agents on first use and owns them. Callers with the same key share an agent; the key includes everything that distinguishes
 * processes, such as configuration and folders.
 */
export class AgentPool<P extends PooledAgent> implements AsyncDisposable {
  readonly #groups = new Map<string, Group<P>>();
  #isDisposed = false;

  constructor(private readonly options: AgentPoolOptions<P> = {}) {}

  /** Connects any agent with the given key, for requests outside a session. Rejects if the agent fails to start; the next call retries. */
  connect(key: string, start: () => P): Promise<Ready<P>> {
    return this.#group(key, start).any().connect();
  }

  /** Reserves an agent for one session, or for several consecutive sessions, until the lease is released. Doesn't start the agent. */
  lease(key: string, start: () => P, listener?: LeaseListener): AgentLease<P> {
    return new AgentLease(this.#group(key, start), listener);
  }

  get running(): P[] {
    return [...this.#groups.values()].flatMap(({ places }) => places.flatMap(({ agent }) => agent ?? []));
  }

  /** Ends agents that have no lease and have been unused for `unusedMs`. */
  async endIdle(unusedMs = 0): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.endIdle(unusedMs)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([...this.#groups.values()].map((group) => group[Symbol.asyncDispose]()));
  }

  #group(key: string, start: () => P): Group<P> {
    const known = this.#groups.get(key);
    if (known) return known;
    const group = new Group(start, this.options);
    group.isDisposed = this.#isDisposed;
    this.#groups.set(key, group);
    return group;
  }
}

/** One user's reservation of an agent. The reservation survives crashes and restarts of the agent. */
export class AgentLease<P extends PooledAgent> {
  #place: AgentSlot<P> | undefined;
  #isReleased = false;

  constructor(
    private readonly group: Group<P>,
    readonly listener: LeaseListener | undefined,
  ) {
    group.leases.add(this);
    clearTimeout(group.idleTimer);
  }

  /** Returns the running agent or starts one. Concurrent calls share one start. */
  async connect(): Promise<Ready<P>> {
    if (this.#place) return this.#place.connect();
    for (const place of [...this.group.places]) {
      if (place.isExclusive && place.leases.size > 0) continue;
      const agent = await place.connect();
      // The agent may have ended or been leased to another user during the wait.
      if (place.isUp && this.#mayTake(place, agent)) return this.#take(place, agent);
    }
    const place = this.group.add();
    const agent = await place.connect();
    return place.isUp && this.#mayTake(place, agent) ? this.#take(place, agent) : this.connect();
  }

  /** Restarts the agent at the user's request and forgets earlier crashes. */
  async restart(): Promise<Ready<P>> {
    // Skip an exclusive agent that another user leases.
    const place = this.#place ?? this.group.places.find((one) => !one.isExclusive || one.leases.size === 0);
    await place?.end("replaced");
    return this.connect();
  }

  /**
   * Releases the agent. Without other users, the agent ends after the idle time, or immediately if `isUseless` is set or the agent is
   * exclusive.
   */
  async release(isUseless = false): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.group.leases.delete(this);
    this.#place?.leases.delete(this);
    await this.group.released(this.#place, isUseless);
  }

  #mayTake(place: AgentSlot<P>, agent: Ready<P>): boolean {
    return place.leases.size === 0 || !this.group.isExclusive(agent);
  }

  #take(place: AgentSlot<P>, agent: Ready<P>): Ready<P> {
    if (this.#isReleased) return agent;
    this.#place = place;
    place.leases.add(this);
    return agent;
  }
}

class Group<P extends PooledAgent> implements AsyncDisposable {
  readonly places: AgentSlot<P>[] = [];
  readonly leases = new Set<AgentLease<P>>();
  idleTimer: ReturnType<typeof setTimeout> | undefined;
  isDisposed = false;

  constructor(
    readonly start: () => P,
    readonly options: AgentPoolOptions<P>,
  ) {}

  any(): AgentSlot<P> {
    return this.places[0] ?? this.add();
  }

  add(): AgentSlot<P> {
    const place = new AgentSlot(this);
    this.places.push(place);
    return place;
  }

  isExclusive(agent: Ready<P>): boolean {
    return this.options.isExclusive?.(agent) ?? false;
  }

  get now(): number {
    return this.options.now?.() ?? Date.now();
  }

  async released(place: AgentSlot<P> | undefined, isUseless: boolean): Promise<void> {
    if (place) place.usedAt = this.now;
    if (place?.leases.size === 0 && (isUseless || place.isExclusive)) await place.end("unused");
    if (this.leases.size > 0 || this.options.idleMs === undefined || this.isDisposed) return;
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => void this.#endAll(), this.options.idleMs);
  }

  async endIdle(unusedMs: number): Promise<void> {
    const limit = this.now - unusedMs;
    const idle = this.places.filter(({ isUp, leases, usedAt }) => isUp && leases.size === 0 && usedAt <= limit);
    await Promise.all(idle.map((place) => place.end("unused")));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    clearTimeout(this.idleTimer);
    await this.#endAll();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.places].map((place) => place.end("unused")));
  }
}

/** Slot for one agent at a time. Its leases survive crashes and restarts. */
class AgentSlot<P extends PooledAgent> {
  readonly leases = new Set<AgentLease<P>>();
  readonly #crashPolicy: CrashPolicy | undefined;
  readonly #ending = new Set<Promise<void>>();
  #connecting: Promise<Ready<P>> | undefined;
  /** Number of calls to `end`; detects a call during a start. */
  #ends = 0;
  agent: P | undefined;
  isUp = false;
  isExclusive = false;
  usedAt = 0;

  constructor(private readonly group: Group<P>) {
    this.#crashPolicy = group.options.crashPolicy?.();
    this.usedAt = group.now;
  }

  connect(): Promise<Ready<P>> {
    this.usedAt = this.group.now;
    this.#connecting ??= this.#start();
    return this.#connecting;
  }

  /** Ends the agent, even during its start. `replaced` means that the user requested the end, and notifies the leases. */
  async end(why: "replaced" | "unused"): Promise<void> {
    const { agent, isUp } = this;
    this.#ends++;
    this.#connecting = undefined;
    this.agent = undefined;
    this.isUp = false;
    if (why === "replaced") {
      this.#crashPolicy?.reset();
      if (isUp) for (const { listener } of [...this.leases]) listener?.replaced?.();
    } else if (this.leases.size === 0) {
      const at = this.group.places.indexOf(this);
      if (at !== -1) this.group.places.splice(at, 1);
    }
    if (agent) this.#dispose(agent);
    await Promise.all(this.#ending);
  }

  /** Disposes an agent. Errors are ignored, since the slot no longer uses the agent. */
  #dispose(agent: P): void {
    const ending = Promise.resolve(agent[Symbol.asyncDispose]()).catch(() => undefined);
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }

  async #start(): Promise<Ready<P>> {
    const ends = this.#ends;
    await Promise.all(this.#ending);
    if (this.group.isDisposed) throw new Error("The process is exiting.");
    // If `end` was called during the wait, join the next start, so that callers of this start get the next agent.
    if (ends !== this.#ends) return this.connect();
    if (!this.group.places.includes(this)) this.group.places.push(this);
    let agent: P | undefined;
    try {
      const started = (agent = this.group.start());
      this.agent = agent;
      void agent.ended.then((failure) => {
        if (this.agent === started) this.#gone(started, failure);
      });
      const ready = (await agent.ready) as Ready<P>;
      this.isUp = this.agent === agent;
      this.isExclusive = this.group.isExclusive(ready);
      return ready;
    } catch (thrown) {
      if (this.agent === agent) await this.end("unused");
      throw thrown;
    }
  }

  /** Handles an agent that exited by itself. During a start, the callers of `connect` get the failure instead. */
  #gone(agent: P, failure: AgentFailure | undefined): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.agent = undefined;
    this.#connecting = undefined;
    // Other parts of the agent's chain may still run, such as the proxies in front of the agent.
    this.#dispose(agent);
    if (!failure || this.group.isDisposed) return;
    const restartMs = this.#crashPolicy?.afterCrash(this.group.now);
    for (const { listener } of [...this.leases]) listener?.crashed(failure, restartMs);
  }
}
