/** The agents that need not ask: `symposium.bypassPermissions`, and `bypassPermissions` of an entry in `symposium.agents`. */
export interface Bypass {
  has(agentId: string): boolean;
  /** From now on this agent need not ask. */
  add(agentId: string): Promise<void>;
}
