import type { CrashPolicy } from "@symposium-dev/core";

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
  /** MCP servers for every session, by name, as the setting has them; the command reads them. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  /** How often this window has changed how the agent is held, which its process keeps from its start on. */
  readonly levelChanges?: number;
}

/** What the command itself takes when nobody says. */
export const defaultStartupSeconds = 120;

/** Equal for configurations that can share a process, different for all others. */
export function configurationKey(configuration: AgentConfiguration): string {
  const { agentId, agent, proxies, folder, environment, extraArgs, startupSeconds, mcpServers, levelChanges } =
    configuration;
  const entries = Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    agentId,
    agent,
    proxies,
    folder,
    entries,
    extraArgs,
    startupSeconds,
    mcpServers,
    levelChanges,
  ]);
}

const delaysMs = [500, 2_000, 8_000] as const;
const windowMs = 5 * 60_000;

/** Decides whether an agent that has crashed is started again by itself, and when: three times in five minutes. */
export class CrashLimit implements CrashPolicy {
  #crashes: number[] = [];

  /** Notes a crash. Returns the milliseconds to wait before the next start, or undefined when the user should decide. */
  afterCrash(now: number): number | undefined {
    this.#crashes = this.#crashes.filter((at) => now - at < windowMs);
    this.#crashes.push(now);
    return delaysMs[this.#crashes.length - 1];
  }

  /** The user has decided to start it: earlier crashes no longer count. */
  reset(): void {
    this.#crashes = [];
  }
}
