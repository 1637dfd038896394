import { knownAgents } from "../../../agents/known-agents.js";
import { assertAgentAllowed } from "../../organisation.js";
import { invalidArguments, type SymposiumError } from "../../../base/symposium-error.js";
import { canonicalAgentId } from "../../../agents/registry/built-in-agents.js";
import type { Command } from "../../../base/command.js";
import { type AgentServer, agentServerName, agentTextOf } from "../../../agents/zed/agent-server.js";
import { findAgentCommand, isOnPath, readAgentText } from "../../../agents/node/find-agent.js";
import { selfCommand } from "../../../base/node/self-command.js";
import type { OptionDeclarations } from "../options.js";

export async function wantedChains(texts: readonly string[]): Promise<readonly AgentServer[]> {
  if (texts.length === 0) return [{ name: agentServerName(), command: ourCommand([]) }];
  const servers = await Promise.all(
    texts.map(async (text) => ({
      name: await chainName(text),
      command: ourCommand(["zed", "run", "--agent", text]),
    })),
  );
  for (const [index, server] of servers.entries()) {
    const other = servers.find(({ name }, place) => place < index && name === server.name);
    if (other) throw sameName(server, other);
  }
  return servers;
}

/** Throws if a member of `wanted` would replace an entry that starts another agent under the same name. */
export function assertOthersStay(wanted: readonly AgentServer[], installed: readonly AgentServer[]): void {
  for (const server of wanted) {
    const other = installed.find(({ name }) => name === server.name);
    if (other && !isSameAgent(server, other)) throw sameName(server, other);
  }
}

/** A known agent may have been installed under one of its aliases. */
function isSameAgent({ command: one }: AgentServer, { command: other }: AgentServer): boolean {
  const texts = [agentTextOf(one), agentTextOf(other)];
  const isNamed = texts.every((text) => text === undefined || readAgentText(text).kind === "name");
  return isNamed || texts[0] === texts[1];
}

function sameName(one: AgentServer, other: AgentServer): SymposiumError {
  return invalidArguments(
    `Two agents would have the name "${one.name}": ${agentTextOf(one.command) ?? ""} and ${agentTextOf(other.command) ?? ""}.`,
    'Rename one of them: --agent \'{ "name": "NAME", "command": "PROGRAM", "args": [] }\'.',
  );
}

/** Returns the name of the settings entry for an agent. Rejects with `unknown-agent` if the agent doesn't exist. */
export async function chainName(text: string): Promise<string> {
  const component = readAgentText(text);
  await assertAgentAllowed(await findAgentCommand(component));
  const id = component.kind === "name" ? canonicalAgentId(component.name) : undefined;
  const known = knownAgents(isOnPath).find((agent) => agent.id === id);
  return agentServerName(known?.name ?? component.name);
}

/** Returns the command for a Zed entry. Includes SYMPOSIUM_CONFIG_DIR, since Zed runs the command with a project's environment. */
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

export const settingsOptions = {
  settings: { value: "FILE", about: "use this settings.json" },
  flatpak: { about: "use the settings of Zed's Flatpak" },
} as const satisfies OptionDeclarations;

export const dryRunOption = {
  "dry-run": { about: "show the change without making it" },
} as const satisfies OptionDeclarations;
