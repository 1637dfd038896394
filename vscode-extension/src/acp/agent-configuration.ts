/**
 * Everything that decides which agent process a tab needs. Two tabs whose configurations have the same key share one
 * process, each with a session of its own.
 */
export interface AgentConfiguration {
  readonly agentId: string;
  readonly agentName: string;
  /** What the command's `--agent` takes: a catalogue id, a command line, or a JSON description. */
  readonly agent: string;
  /** What the command's `--proxy` takes, in chain order. */
  readonly proxies: readonly string[];
  /** Absolute path of the folder the process runs in. */
  readonly folder: string;
  /** Added to the environment of the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** More arguments of the command, e.g. for logging and tracing. */
  readonly extraArgs: readonly string[];
  /** How long each component may take to answer `initialize`; {@link defaultStartupSeconds} when absent. */
  readonly startupSeconds?: number;
}

/** What the command itself takes when nobody says. */
export const defaultStartupSeconds = 120;

/** Equal for configurations that can share a process, different for all others. */
export function configurationKey(configuration: AgentConfiguration): string {
  const { agentId, agent, proxies, folder, environment, extraArgs, startupSeconds } = configuration;
  const entries = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([agentId, agent, proxies, folder, entries, extraArgs, startupSeconds]);
}
