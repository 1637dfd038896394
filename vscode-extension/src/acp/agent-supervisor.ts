import type { Logger } from "@symposium-dev/core";
import { type AgentConfiguration, configurationKey } from "./agent-configuration.js";
import type { AgentFailure } from "./agent-failure.js";
import type { AgentProcess } from "./agent-process.js";
import type { InitializedAgent } from "./initialized-agent.js";
import { RestartPolicy } from "./restart-policy.js";
import type { SessionRouter } from "./session-router.js";

/** A running agent that has answered `initialize`. */
export interface ConnectedAgent {
  readonly process: AgentProcess;
  readonly router: SessionRouter;
  readonly initialized: InitializedAgent;
}

/** Starts one agent; its `initialized` may still be open. */
export type StartAgent = (configuration: AgentConfiguration) => {
  readonly process: AgentProcess;
  readonly router: SessionRouter;
};

interface AgentListener {
  /** The agent ended without being told to. `restartMs` is how long to wait before it may be connected again by itself. */
  crashed(failure: AgentFailure, restartMs: number | undefined): void;
  /** The user wants the agent anew: this process ends now, with all of its sessions; another one can be connected. */
  replaced(): void;
}

interface AgentSupervisorOptions {
  readonly start: StartAgent;
  readonly logger: Logger;
  /** How long an agent that no tab uses stays; default 30 s. */
  readonly idleMs?: number;
}

/** One agent process for each configuration that tabs use, shared by them. Owns all of them. */
export class AgentSupervisor implements AsyncDisposable {
  readonly #agents = new Map<string, SharedAgent>();

  constructor(private readonly options: AgentSupervisorOptions) {}

  /** The agent of a configuration, started at the first `connect`. Equal configurations get the same one. */
  agent(configuration: AgentConfiguration): SharedAgent {
    const key = configurationKey(configuration);
    const known = this.#agents.get(key);
    if (known) return known;
    const agent = new SharedAgent(configuration, this.options);
    this.#agents.set(key, agent);
    return agent;
  }

  /** Pids of the processes that run now. */
  get pids(): number[] {
    return [...this.#agents.values()].flatMap((agent) => agent.pid ?? []);
  }

  /** Ends every agent; resolves with their processes gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent[Symbol.asyncDispose]()));
  }
}

/** The process of one configuration through crashes and restarts. */
export class SharedAgent implements AsyncDisposable {
  readonly #listeners = new Set<AgentListener>();
  readonly #policy = new RestartPolicy();
  readonly #ending = new Set<Promise<void>>();
  #connecting: Promise<ConnectedAgent> | undefined;
  #process: AgentProcess | undefined;
  /** It has answered `initialize`. */
  #isUp = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  constructor(
    readonly configuration: AgentConfiguration,
    private readonly options: AgentSupervisorOptions,
  ) {}

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** The running agent, started if need be; all who ask meanwhile wait for the same start. */
  connect(): Promise<ConnectedAgent> {
    this.#connecting ??= this.#start();
    return this.#connecting;
  }

  /** The user's wish: ends the process if it runs, forgets earlier crashes, and starts anew. */
  async restart(): Promise<ConnectedAgent> {
    this.#policy.reset();
    this.#connecting = undefined;
    if (this.#isUp && this.#process) for (const listener of [...this.#listeners]) listener.replaced();
    await this.#end();
    return this.connect();
  }

  /** Keeps the agent for a tab. Disposing lets go of it; without tabs it ends after a while. */
  attach(listener: AgentListener): Disposable {
    clearTimeout(this.#idleTimer);
    this.#listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
        this.#idleTimer = setTimeout(() => {
          this.#connecting = undefined;
          void this.#end();
        }, this.options.idleMs ?? 30_000);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#listeners.clear();
    await this.#end();
    await Promise.all(this.#ending);
  }

  async #start(): Promise<ConnectedAgent> {
    await Promise.all(this.#ending);
    if (this.#isDisposed) throw new Error("The window is closing.");
    const { process, router } = this.options.start(this.configuration);
    this.#process = process;
    this.#isUp = false;
    void process.ended.then((failure) => {
      router.close();
      if (this.#process === process) this.#gone(failure);
    });
    try {
      const initialized = await process.initialized;
      this.#isUp = this.#process === process;
      return { process, router, initialized };
    } catch (thrown) {
      if (this.#process === process) {
        this.#connecting = undefined;
        await this.#end();
      }
      throw thrown;
    }
  }

  /** The process ended by itself. Of an end while it was starting, those hear who wait for the start. */
  #gone(failure: AgentFailure | undefined): void {
    if (!this.#isUp) return;
    this.#process = undefined;
    this.#connecting = undefined;
    if (!failure || this.#isDisposed) return;
    const restartMs = this.#policy.afterCrash(Date.now());
    this.options.logger.warn("the agent ended", { agent: this.configuration.agentId, reason: failure.message });
    for (const listener of [...this.#listeners]) listener.crashed(failure, restartMs);
  }

  #end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const process = this.#process;
    this.#process = undefined;
    if (!process) return Promise.resolve();
    const ending = process[Symbol.asyncDispose]();
    this.#ending.add(ending);
    return ending.finally(() => this.#ending.delete(ending));
  }
}
