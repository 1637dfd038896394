import type { OpenAgent } from "../model/agent-connection.js";
import type { AgentStart } from "./read-agent-definition.js";

/**
 * Says how the chain before an agent is opened. `isRaw`: the agent stands alone, and has its own tools switched off where
 * that can be done.
 */
export type ChainOpener = (start: AgentStart, isRaw: boolean) => OpenAgent;

/** What makes two chains the same. */
export function chainKey(start: AgentStart, isRaw: boolean): string {
  return JSON.stringify([start, isRaw]);
}
