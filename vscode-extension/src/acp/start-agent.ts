import type { Command, Logger, StartProcess } from "@symposium-dev/core";
import type { AbilityTable } from "./ability-table.js";
import { type AgentConfiguration, defaultStartupSeconds } from "./agent-configuration.js";
import { AgentProcess } from "./agent-process.js";
import type { StartAgent } from "./agent-supervisor.js";
import { SessionRouter } from "./session-router.js";

interface StartAgentOptions {
  /** `symposium-acp-agent` without arguments; looked up at each start, since a setting decides. */
  command(): Command;
  readonly startProcess: StartProcess;
  readonly abilities: AbilityTable;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly logger: Logger;
}

/** Starts agents as chains of the command: its `run-with` with the configuration's proxies and agent. */
export function agentStarter(options: StartAgentOptions): StartAgent {
  return (configuration) => {
    const { startProcess, abilities, clientInfo } = options;
    const logger = options.logger.child("agent", { agent: configuration.agentId });
    const router = new SessionRouter(abilities, logger);
    const process = new AgentProcess({
      name: configuration.agentName,
      command: runWith(options.command(), configuration),
      startProcess,
      inbound: router,
      clientCapabilities: abilities.capabilities,
      clientInfo,
      logger,
      startupTimeoutMs: ((configuration.startupSeconds ?? defaultStartupSeconds) + commandSeconds) * 1_000,
    });
    return { process, router };
  };
}

/** How much longer than its components the command may take, which says which of them is too slow. */
const commandSeconds = 60;

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
