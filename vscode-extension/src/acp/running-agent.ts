import {
  AgentClient,
  AgentFailure,
  type AgentLease,
  AgentPool,
  AgentRefusal,
  type AgentSession,
  type Command,
  type InitializedAgent,
  isDoneWithin,
  type LeaseListener,
  type PooledAgent,
  quirksOf,
} from "@symposium-dev/core";
import type { AbilityTable, TabSession } from "./abilities.js";
import { type AgentConfiguration, configurationKey, CrashLimit, defaultStartupSeconds } from "./agent-configuration.js";
import { ConnectedProcess, type ConnectedProcessOptions } from "./connected-process.js";

/** How long the end of a process that has refused may take to be seen. */
const exitMs = 500;
/** How much longer than its components the command may take, which says which of them is too slow. */
const commandSeconds = 60;

interface RunningAgentOptions extends Omit<ConnectedProcessOptions, "inbound"> {
  readonly abilities: AbilityTable;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** MCP servers for every session, by name; the command keeps them to itself. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  /** Until `initialize` is answered; a first start may download the agent. Default 180 s. */
  readonly startupTimeoutMs?: number;
}

/** One agent: its process, and the client that tabs speak to it through. */
export class RunningAgent implements PooledAgent<RunningAgent> {
  readonly client: AgentClient<TabSession>;
  /** What the editor can do for it. */
  readonly abilities: AbilityTable;
  /** Rejects with {@link AgentFailure} when the agent does not come up. */
  readonly ready: Promise<RunningAgent>;
  /** Resolves when the process is gone and its sessions are closed: with the reason, or with undefined when we ended it. */
  readonly ended: Promise<AgentFailure | undefined>;
  readonly #process: ConnectedProcess;
  readonly #options: RunningAgentOptions;
  #isReady = false;

  constructor(options: RunningAgentOptions) {
    const { name, command, startProcess, abilities, clientInfo, logger, mcpServers } = options;
    this.#options = options;
    this.abilities = abilities;
    this.client = new AgentClient<TabSession>({
      clientInfo,
      capabilities: abilities.capabilities,
      ...(mcpServers && { meta: { symposium: { mcpServers } } }),
      requests: abilities.requests,
      notification: (call) => abilities.notify(call),
      ownerOf: (_sessionId, sessions) => ownerOfUnknown(sessions),
      logger,
    });
    this.#process = new ConnectedProcess({ name, command, startProcess, inbound: this.client.fromAgent, logger });
    this.ended = this.#process.ended.then((failure) => {
      this.client.close();
      return failure;
    });
    this.ready = this.#initialize();
    this.ready.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether it can be asked something now: it has come up. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** What it said of itself; only once {@link ready} has resolved. */
  get initialized(): InitializedAgent {
    return this.client.initialized;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }

  async #initialize(): Promise<RunningAgent> {
    const { name, logger, startupTimeoutMs = 180_000 } = this.#options;
    const initialized = this.client.initialize(this.#process.peer);
    if (!(await isDoneWithin(initialized, startupTimeoutMs))) throw startupTimeout(name, startupTimeoutMs);
    try {
      const { name: agent = "", version = "" } = await initialized;
      logger.info("initialized", { agent: [agent, version].filter((part) => part !== "").join(" "), pid: this.pid });
    } catch (thrown) {
      throw await this.#startFailure(thrown);
    }
    this.#isReady = true;
    void this.ended.then((failure) => failure && logger.warn("the agent ended", { reason: failure.message }));
    return this;
  }

  /** The best account of a start that failed: what a component said of itself, else how the process ended. */
  async #startFailure(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof AgentRefusal)) return thrown;
    if (thrown.failure) return thrown.failure;
    await isDoneWithin(this.ended, exitMs);
    return this.#process.failure ?? new AgentFailure("component-start-failed", thrown.message);
  }
}

/**
 * Sub-agents ask under ids of their own that nobody announced: theirs is the session with an open turn, or the only one,
 * so that the question is shown somewhere.
 */
function ownerOfUnknown(sessions: readonly AgentSession<TabSession>[]): AgentSession<TabSession> | undefined {
  const running = sessions.filter(({ isTurnOpen }) => isTurnOpen);
  if (running.length === 1) return running[0];
  return sessions.length === 1 ? sessions[0] : undefined;
}

function startupTimeout(name: string, ms: number): AgentFailure {
  return new AgentFailure(
    "startup-timeout",
    `${name} did not answer within ${Math.round(ms / 1000)} s after its start.`,
    "A first start may have to download it: try again. The log may say what it waits for.",
  );
}

/** Starts one agent, which may still have to come up. */
type StartAgent = (configuration: AgentConfiguration) => RunningAgent;

interface AgentStarterOptions extends Pick<
  RunningAgentOptions,
  "startProcess" | "abilities" | "clientInfo" | "logger"
> {
  /** `symposium-acp-agent` without arguments; looked up at each start, since a setting decides. */
  command(): Command;
}

/** Starts agents as chains of the command: its `run-with` with the configuration's proxies and agent. */
export function agentStarter(options: AgentStarterOptions): StartAgent {
  return (configuration) =>
    new RunningAgent({
      ...options,
      name: configuration.agentName,
      command: runWith(options.command(), configuration),
      logger: options.logger.child("agent", { agent: configuration.agentId }),
      ...(configuration.mcpServers && { mcpServers: configuration.mcpServers }),
      startupTimeoutMs: ((configuration.startupSeconds ?? defaultStartupSeconds) + commandSeconds) * 1_000,
    });
}

function runWith(command: Command, configuration: AgentConfiguration): Command {
  const { proxies, agent, folder, environment, extraArgs, startupSeconds } = configuration;
  const chain = [...proxies.flatMap((proxy) => ["--proxy", proxy]), "--agent", agent];
  // An older command of the user's own knows no such option: it gets it only where somebody wants another time.
  if (startupSeconds !== undefined && startupSeconds !== defaultStartupSeconds) {
    chain.push("--startup-timeout", String(startupSeconds));
  }
  return {
    command: command.command,
    args: [...command.args, "run-with", ...chain, ...extraArgs],
    env: { ...command.env, ...environment },
    cwd: folder,
  };
}

/** The agent of a configuration, whether it runs or not. */
export interface ConfiguredAgent {
  readonly configuration: AgentConfiguration;
  /** Keeps it for a tab, until the tab releases it. */
  lease(listener: LeaseListener): AgentLease<RunningAgent>;
}

/**
 * The agents of a window: one process for each configuration that tabs use, shared by them, unless its sessions would get
 * each other's MCP servers. Owns all of them.
 */
export class WindowAgents implements AsyncDisposable {
  readonly #pool: AgentPool<RunningAgent>;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly start: StartAgent,
    /** How long an agent that no tab uses stays. */
    idleMs = 30_000,
  ) {
    this.#pool = new AgentPool({
      idleMs,
      crashPolicy: () => new CrashLimit(),
      isExclusive: ({ initialized }) => quirksOf(initialized).sharesServers,
    });
  }

  /** The agent of a configuration, started when it is first connected. Equal configurations share it where they can. */
  agent(configuration: AgentConfiguration): ConfiguredAgent {
    const key = configurationKey(configuration);
    return {
      configuration,
      lease: (listener) => this.#pool.lease(key, () => this.#start(configuration), listener),
    };
  }

  /** Those that can be asked something now. */
  get ready(): readonly RunningAgent[] {
    return this.#pool.running.filter(({ isReady }) => isReady);
  }

  /** Calls `listener` when an agent has come up, and when one has ended. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Pids of the processes that run now. */
  get pids(): number[] {
    return this.#pool.running.flatMap(({ pid }) => pid ?? []);
  }

  #start(configuration: AgentConfiguration): RunningAgent {
    const agent = this.start(configuration);
    const changed = (): void => {
      for (const listener of [...this.#listeners]) listener();
    };
    agent.ready.then(changed, () => undefined);
    void agent.ended.then(changed);
    return agent;
  }

  /** Ends every agent; resolves with their processes gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}
