import type { CrashPolicy } from "@symposium-dev/core";

/** Configuration of an agent process. Tabs with equal configuration keys share a process, each with its own session. */
export interface AgentConfiguration {
  readonly agentId: string;
  readonly agentName: string;
  /** Value of the command's `--agent`: a catalogue id, a command line, or a JSON description. */
  readonly agent: string;
  /** Values of the command's `--proxy`, in chain order. */
  readonly proxies: readonly string[];
  /** Absolute path of the process's working folder. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Additional arguments of the command, such as for logging and tracing. */
  readonly extraArgs: readonly string[];
  /** Seconds for each component to answer `initialize`; default: {@link defaultStartupSeconds}. */
  readonly startupSeconds?: number;
  /** MCP servers for every session, by name, in the format of the VS Code setting; `symposium-acp-agent` parses them. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  /** The host keeps the agent and its sessions, so that they outlive the window. */
  readonly isHosted?: boolean;
  /** Machine on which the agent runs, as a value of `--on`, and the session's folder there. That machine chooses the agent. */
  readonly machine?: { readonly on: string; readonly folder: string };
  /** Number of protection level changes in this window. Part of the key, since a process keeps the level with which it was started. */
  readonly levelChanges?: number;
}

/** Default startup limit of `symposium-acp-agent` in seconds. */
export const defaultStartupSeconds = 120;

/** Returns a key for a configuration. Configurations have the same key exactly if they can share a process. */
export function configurationKey({ agentName: _name, environment, ...others }: AgentConfiguration): string {
  return JSON.stringify([sorted(environment), sorted(others)]);
}

function sorted(members: object): readonly (readonly [string, unknown])[] {
  const entries: [string, unknown][] = Object.entries(members);
  return entries.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
}

const delaysMs = [500, 2_000, 8_000] as const;
const windowMs = 5 * 60_000;

/** Allows three automatic restarts of a crashed agent in five minutes. */
export class CrashLimit implements CrashPolicy {
  #crashes: number[] = [];

  /** Records a crash. Returns the milliseconds before the next start, or undefined if the user should decide. */
  afterCrash(now: number): number | undefined {
    this.#crashes = this.#crashes.filter((at) => now - at < windowMs);
    this.#crashes.push(now);
    return delaysMs[this.#crashes.length - 1];
  }

  reset(): void {
    this.#crashes = [];
  }
}
