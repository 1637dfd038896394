import { type AgentRow, agentTable } from "./agent-table.js";
import type { Distribution } from "../../settings/distribution.js";
import type { RegistryEntry } from "./registry-entry.js";

export const eliza = {
  id: "eliza",
  name: "Eliza",
  description: "Symposium's built-in test agent, which needs no language model",
} as const;

export function listedAgents(isOnPath: (program: string) => boolean): readonly AgentRow[] {
  return agentTable.filter(({ isListedAlways, program }) => isListedAlways === true || isOnPath(program));
}

/**
 * Returns registry entries for the embedded agent and the agents of {@link listedAgents}. A program on PATH is preferred to installing its
 * package.
 */
export function builtInAgents(isOnPath: (program: string) => boolean): readonly RegistryEntry[] {
  const entries = listedAgents(isOnPath).map(({ id, name, description, ...start }) => {
    const found = isOnPath(start.program) && ({ isOnPath: true } as const);
    return {
      id,
      name,
      description,
      distribution: distributionOf(start, isOnPath),
      origin: "built-in",
      ...found,
    } as const;
  });
  return [...entries, { ...eliza, distribution: { symposium: { subcommand: "eliza" } }, origin: "built-in" }];
}

export function builtInAgent(id: string): AgentRow | undefined {
  return agentTable.find((agent) => agent.id === id);
}

/** Maps an alias to its built-in id; returns other ids unmodified. */
export function canonicalAgentId(id: string): string {
  if (id === "elizacp") return eliza.id;
  return agentTable.find(({ aliases }) => aliases?.includes(id) === true)?.id ?? id;
}

/** Returns the display name of an agent with this id, alias or program name. Returns other names unmodified. */
export function displayNameOf(name: string): string {
  const id = canonicalAgentId(name);
  if (id === eliza.id) return eliza.name;
  return agentTable.find((row) => row.id === id || row.program === name)?.name ?? name;
}

function distributionOf(
  { program, args, npmPackage }: Pick<AgentRow, "program" | "args" | "npmPackage">,
  isOnPath: (program: string) => boolean,
): Distribution {
  if (npmPackage === undefined || isOnPath(program)) return { executable: { command: program, args } };
  return { npx: { package: npmPackage, args } };
}
