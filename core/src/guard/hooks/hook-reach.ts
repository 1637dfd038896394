import type { AgentRow } from "../../agents/registry/agent-table.js";

/** Power of PreToolUse hooks over an agent's calls, with the agent's default settings. */
interface HookReach {
  readonly commands: string;
  readonly edits: string;
}

const words = {
  always: "decides",
  writes: "decides (except read-only calls)",
  never: "watches",
} as const;

/** Returns how far PreToolUse hooks reach; for all agents, they decide about tools of MCP servers and watch all other tools. */
export function hookReach(row: Pick<AgentRow, "asksFirst"> | undefined): HookReach {
  const { Bash: commands, Edit: edits } = row?.asksFirst ?? {};
  return { commands: commands ? words[commands] : "may only watch", edits: edits ? words[edits] : "may only watch" };
}

/** Describes the events for one agent in a sentence. */
export function describeReach(row: Pick<AgentRow, "asksFirst"> | undefined): string {
  const { commands, edits } = hookReach(row);
  return (
    `PreToolUse ${commands} for commands. It ${edits} for edits. It decides for MCP tools, and watches other tools. UserPromptSubmit, ` +
    "PermissionRequest and Stop decide. SessionStart and PostToolUse add context. Other events watch."
  );
}
