import type { AgentFailure } from "./agent-errors.js";

/** An agent that is being started, or runs. Disposing ends it at any time, and resolves with it gone. */
export interface PooledAgent<R = unknown> extends AsyncDisposable {
  /** Resolves once it has answered `initialize`. Rejects when it does not come up. */
  readonly ready: Promise<R>;
  /** Resolves when it is gone: with the reason, or with undefined when we ended it. Never rejects. */
  readonly ended: Promise<AgentFailure | undefined>;
}

/** What an agent is for those who use it. */
type Ready<P extends PooledAgent> = Awaited<P["ready"]>;

export interface LeaseListener {
  /** The agent ended without being told to. `restartMs` is how long to wait before it may be connected again by itself. */
  crashed(failure: AgentFailure, restartMs: number | undefined): void;
  /** Somebody wants the agent anew: it ends now, with all of its sessions; another one can be connected. */
  replaced?(): void;
}

/** Decides whether an agent that has crashed is started again by itself. */
export interface CrashPolicy {
  /** Notes a crash. Returns the milliseconds to wait before the next start, or undefined when the user should decide. */
  afterCrash(now: number): number | undefined;
  /** The user has decided to start it: earlier crashes no longer count. */
  reset(): void;
}

export interface AgentPoolOptions<P extends PooledAgent> {
  /** Whether its sessions would get each other's MCP servers, so that each needs an agent of its own. */
  isExclusive?(agent: Ready<P>): boolean;
  /** How long an agent that nobody uses stays; without it, until {@link AgentPool.endIdle}. */
  readonly idleMs?: number;
  /** One for each agent. Without it, none is to be started by itself. */
  crashPolicy?(): CrashPolicy;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * The agents that run, each started when it is first asked for and shared by all who ask with the same key: what decides
 * which process it is, such as configuration and folders. Owns all of them.
 */
export class AgentPool<P extends PooledAgent> implements AsyncDisposable {
  readonly #groups = new Map<string, Group<P>>();
  #isDisposed = false;

  constructor(private readonly options: AgentPoolOptions<P> = {}) {}

  /** Any agent of the key, for questions. Rejects when it does not come up, and starts it anew the next time. */
  connect(key: string, start: () => P): Promise<Ready<P>> {
    return this.#group(key, start).any().connect();
  }

  /** Keeps an agent for one session, or for one after the other, until it is released. Starts nothing yet. */
  lease(key: string, start: () => P, listener?: LeaseListener): AgentLease<P> {
    return new AgentLease(this.#group(key, start), listener);
  }

  /** Those that have been started and have not ended. */
  get running(): P[] {
    return [...this.#groups.values()].flatMap(({ places }) => places.flatMap(({ agent }) => agent ?? []));
  }

  /** Ends the agents that no lease is on, and that nobody has asked for as long. */
  async endIdle(unusedMs = 0): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.endIdle(unusedMs)));
  }

  /** Ends every agent; resolves with them gone. */
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

/** One user of an agent, through crashes and restarts. */
export class AgentLease<P extends PooledAgent> {
  #place: Place<P> | undefined;
  #isReleased = false;

  constructor(
    private readonly group: Group<P>,
    readonly listener: LeaseListener | undefined,
  ) {
    group.leases.add(this);
    clearTimeout(group.idleTimer);
  }

  /** The running agent, started if need be; all who ask meanwhile wait for the same start. */
  async connect(): Promise<Ready<P>> {
    if (this.#place) return this.#place.connect();
    for (const place of [...this.group.places]) {
      if (place.isExclusive && place.leases.size > 0) continue;
      const agent = await place.connect();
      // It may have ended meanwhile, or been taken.
      if (place.isUp && this.#mayTake(place, agent)) return this.#take(place, agent);
    }
    const place = this.group.add();
    const agent = await place.connect();
    return place.isUp && this.#mayTake(place, agent) ? this.#take(place, agent) : this.connect();
  }

  /** The user's wish: ends the agent if it runs, forgets earlier crashes, and starts anew. */
  async restart(): Promise<Ready<P>> {
    // One that is another's alone is not this user's to end.
    const place = this.#place ?? this.group.places.find((one) => !one.isExclusive || one.leases.size === 0);
    await place?.end("replaced");
    return this.connect();
  }

  /** Lets go of the agent. One that nobody else uses ends after a while, and at once when it is `isUseless` or exclusive. */
  async release(isUseless = false): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.group.leases.delete(this);
    this.#place?.leases.delete(this);
    await this.group.released(this.#place, isUseless);
  }

  #mayTake(place: Place<P>, agent: Ready<P>): boolean {
    return place.leases.size === 0 || !this.group.isExclusive(agent);
  }

  #take(place: Place<P>, agent: Ready<P>): Ready<P> {
    if (this.#isReleased) return agent;
    this.#place = place;
    place.leases.add(this);
    return agent;
  }
}

/** The agents of one key. */
class Group<P extends PooledAgent> implements AsyncDisposable {
  readonly places: Place<P>[] = [];
  readonly leases = new Set<AgentLease<P>>();
  idleTimer: ReturnType<typeof setTimeout> | undefined;
  isDisposed = false;

  constructor(
    readonly start: () => P,
    readonly options: AgentPoolOptions<P>,
  ) {}

  any(): Place<P> {
    return this.places[0] ?? this.add();
  }

  add(): Place<P> {
    const place = new Place(this);
    this.places.push(place);
    return place;
  }

  isExclusive(agent: Ready<P>): boolean {
    return this.options.isExclusive?.(agent) ?? false;
  }

  get now(): number {
    return this.options.now?.() ?? Date.now();
  }

  async released(place: Place<P> | undefined, isUseless: boolean): Promise<void> {
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

/** Where one agent runs after the other: through crashes and restarts, for the same leases. */
class Place<P extends PooledAgent> {
  readonly leases = new Set<AgentLease<P>>();
  readonly #crashPolicy: CrashPolicy | undefined;
  readonly #ending = new Set<Promise<void>>();
  #connecting: Promise<Ready<P>> | undefined;
  /** How often it was ended. */
  #ends = 0;
  agent: P | undefined;
  /** It has come up. */
  isUp = false;
  isExclusive = false;
  /** When it was last asked for or let go of. */
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

  /** Ends the agent, whether it is up or not. `replaced`: at the user's wish, so that those who use it hear of it. */
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

  /** However it ends, nobody has it any more. */
  #dispose(agent: P): void {
    const ending = Promise.resolve(agent[Symbol.asyncDispose]()).catch(() => undefined);
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }

  async #start(): Promise<Ready<P>> {
    const ends = this.#ends;
    await Promise.all(this.#ending);
    if (this.group.isDisposed) throw new Error("The process is ending.");
    // Ended while it waited for the agent before: the next start is for those, too, who wait for this one.
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

  /** The agent ended by itself. Of an end while it was starting, those hear who wait for the start. */
  #gone(agent: P, failure: AgentFailure | undefined): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.agent = undefined;
    this.#connecting = undefined;
    // What else belongs to it may still run, such as the proxies before it.
    this.#dispose(agent);
    if (!failure || this.group.isDisposed) return;
    const restartMs = this.#crashPolicy?.afterCrash(this.group.now);
    for (const { listener } of [...this.leases]) listener?.crashed(failure, restartMs);
  }
}
