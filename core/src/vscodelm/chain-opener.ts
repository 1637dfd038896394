import type { OpenAgent } from "../model/agent-connection.js";
import type { AgentStart } from "./read-agent-definition.js";

/** Says how the chain before an agent is opened; `hasProxies` is false where the agent stands alone. */
export type ChainOpener = (start: AgentStart, hasProxies: boolean) => OpenAgent;

/** What makes two chains the same. */
export function chainKey(start: AgentStart, hasProxies: boolean): string {
  return JSON.stringify([start, hasProxies]);
}
