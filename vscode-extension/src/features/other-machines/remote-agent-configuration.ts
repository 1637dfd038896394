import type { AgentConfiguration } from "../../acp/agent-configuration.js";
import type { TabMachine } from "../chat/tab-transcript.js";

/** Returns how to start the agent that `machine` has chosen in its config.jsonc. `folder` is the window's folder. */
export function machineConfiguration(machine: TabMachine, folder: string): AgentConfiguration {
  const { on } = machine;
  const chosenThere = { proxies: [], environment: {}, extraArgs: [] };
  return { ...chosenThere, agentId: on, agentName: on, agent: on, folder, machine, isHosted: true };
}
