import * as l10n from "@vscode/l10n";
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
  type StartProcess,
} from "@symposium-dev/core";
import type { AbilityTable, TabSession } from "./client-abilities.js";
import { type AgentConfiguration, configurationKey, CrashLimit, defaultStartupSeconds } from "./agent-configuration.js";
import { ConnectedProcess, type ConnectedProcessOptions } from "./connected-process.js";

/** Maximum number of milliseconds between an agent's refusal and the exit of its process. */
const exitMs = 500;
/** Seconds that `symposium-acp-agent` may take in addition to its components, so that it can report a slow component. */
const commandSeconds = 60;

interface RunningAgentOptions extends Omit<ConnectedProcessOptions, "inbound"> {
  readonly abilities: AbilityTable;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** MCP servers for every session by name; only the command uses them. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  readonly isHosted?: boolean;
  /** Maximum milliseconds until `initialize` is answered; a first start may download the agent. Default 180 s. */
  readonly startupTimeoutMs?: number;
}

export class RunningAgent implements PooledAgent<RunningAgent> {
  readonly client: AgentClient<TabSession>;
  readonly abilities: AbilityTable;
  /** Resolves when the agent is ready. Rejects with {@link AgentFailure} if the agent fails to start. */
  readonly ready: Promise<RunningAgent>;
  /** Resolves when the process has exited and its sessions are closed: with the reason, or undefined if disposed. */
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

  /** Whether the host process runs the agent and its sessions. */
  get isHosted(): boolean {
    return this.#options.isHosted === true;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** The agent's answer to `initialize`; available only after {@link ready} has resolved. */
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

  /** Returns the best explanation of a failed start: a component's own message, else the process's exit. */
  async #startFailure(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof AgentRefusal)) return thrown;
    if (thrown.failure) return thrown.failure;
    await isDoneWithin(this.ended, exitMs);
    return this.#process.failure ?? new AgentFailure("component-start-failed", thrown.message);
  }
}

/**
 * Returns the session for a request with an unknown session id, since sub-agents may ask under ids that weren't announced. Selects the
 * session with an open turn, or the only session, so that the question is shown.
 */
function ownerOfUnknown(sessions: readonly AgentSession<TabSession>[]): AgentSession<TabSession> | undefined {
  const running = sessions.filter(({ isTurnOpen }) => isTurnOpen);
  if (running.length === 1) return running[0];
  return sessions.length === 1 ? sessions[0] : undefined;
}

function startupTimeout(name: string, ms: number): AgentFailure {
  return new AgentFailure(
    "startup-timeout",
    l10n.t("{0} didn't answer within {1} s of starting.", name, Math.round(ms / 1000)),
    l10n.t("The first start may need to download it. Try again, or check the log."),
  );
}

/** Starts an agent. The returned agent may not be ready yet. */
type StartAgent = (configuration: AgentConfiguration) => RunningAgent;

interface AgentStarterOptions extends Pick<
  RunningAgentOptions,
  "startProcess" | "abilities" | "clientInfo" | "logger"
> {
  /** Returns `symposium-acp-agent` without arguments; called at each start, since a setting may change it. */
  command(): Command;
  /** Returns a function that starts the chains of a command in the host. */
  startHosted?(command: Command): StartProcess;
}

/** Starts agents with the command's `run-with` and the configuration's proxies and agent. */
export function agentStarter(options: AgentStarterOptions): StartAgent {
  return (configuration) => {
    const own = options.command();
    const isInOwnHost = configuration.isHosted === true && !configuration.machine;
    const startHosted = isInOwnHost ? options.startHosted?.(own) : undefined;
    return new RunningAgent({
      ...options,
      name: configuration.agentName,
      command: runWith(startHosted ? { ...own, args: [], env: {} } : own, configuration),
      ...(startHosted && { startProcess: startHosted }),
      logger: options.logger.child("agent", { agent: configuration.agentId }),
      ...(configuration.isHosted === true && { isHosted: true }),
      ...(configuration.mcpServers && { mcpServers: configuration.mcpServers }),
      startupTimeoutMs: ((configuration.startupSeconds ?? defaultStartupSeconds) + commandSeconds) * 1_000,
    });
  };
}

function runWith(command: Command, configuration: AgentConfiguration): Command {
  const { proxies, agent, folder, environment, extraArgs, startupSeconds, machine } = configuration;
  const start = { command: command.command, env: { ...command.env, ...environment }, cwd: folder };
  if (machine) return { ...start, args: [...command.args, "run", "--on", machine.on, "--folder", machine.folder] };
  const chain = [...proxies.flatMap((proxy) => ["--proxy", proxy]), "--agent", agent];
  // Pass the option only if its value isn't the default, since an older command doesn't support it.
  if (startupSeconds !== undefined && startupSeconds !== defaultStartupSeconds) {
    chain.push("--startup-timeout", String(startupSeconds));
  }
  return { ...start, args: [...command.args, "run-with", ...chain, ...extraArgs] };
}

export interface ConfiguredAgent {
  readonly configuration: AgentConfiguration;
  lease(listener: LeaseListener): AgentLease<RunningAgent>;
}

/**
 * Agents of a window. Each configuration has one process, which tabs share unless sessions would receive each other's MCP servers. Owns all
 * processes.
 */
export class WindowAgents implements AsyncDisposable {
  readonly #pool: AgentPool<RunningAgent>;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly start: StartAgent,
    /** Milliseconds before an unused agent ends. */
    idleMs = 30_000,
  ) {
    this.#pool = new AgentPool({
      idleMs,
      crashPolicy: () => new CrashLimit(),
      isExclusive: ({ initialized }) => quirksOf(initialized).sharesServers,
    });
  }

  /** Returns the agent of a configuration, which starts on first connection. Equal configurations share it if possible. */
  agent(configuration: AgentConfiguration): ConfiguredAgent {
    const key = configurationKey(configuration);
    return {
      configuration,
      lease: (listener) => this.#pool.lease(key, () => this.#start(configuration), listener),
    };
  }

  get ready(): readonly RunningAgent[] {
    return this.#pool.running.filter(({ isReady }) => isReady);
  }

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

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

  /** Ends every agent; resolves when their processes have exited. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}
