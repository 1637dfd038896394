import { knownAgents } from "../../agents/known-agents.js";
import { canonicalAgentId } from "../../registry/built-in-agents.js";
import type { Command } from "../../settings/command.js";
import { type AgentServer, agentServerName } from "../../zed/agent-server.js";
import { findAgentCommand, isOnPath, readAgentText } from "../components.js";
import { selfCommand } from "../environment.js";

/** The entries for the chains that the user wants: one an agent of `texts`, or the configured one where there is none. */
export async function wantedChains(texts: readonly string[]): Promise<readonly AgentServer[]> {
  if (texts.length === 0) return [{ name: agentServerName(), command: ourCommand([]) }];
  return Promise.all(
    texts.map(async (text) => ({
      name: await chainName(text),
      command: ourCommand(["zed", "run", "--agent", text]),
    })),
  );
}

/** The name of the entry for an agent. Rejects with `unknown-agent` where nothing of that name can be started. */
export async function chainName(text: string): Promise<string> {
  const component = readAgentText(text);
  await findAgentCommand(component);
  const id = component.kind === "name" ? canonicalAgentId(component.name) : undefined;
  const known = knownAgents(isOnPath).find((agent) => agent.id === id);
  return agentServerName(known?.name ?? component.name);
}

/** Zed runs it with the environment of a project: a moved configuration has to be told. */
function ourCommand(words: readonly string[]): Command {
  const self = selfCommand();
  const moved = process.env["SYMPOSIUM_CONFIG_DIR"];
  const isMoved = moved !== undefined && moved !== "";
  return {
    command: self.command,
    args: [...self.args, ...words],
    env: { ...self.env, ...(isMoved && { SYMPOSIUM_CONFIG_DIR: moved }) },
  };
}
