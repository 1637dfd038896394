import { type AgentRow, agentTable } from "./agent-table.js";
import type { Distribution } from "../../settings/distribution.js";
import type { RegistryEntry } from "./registry-entry.js";

/** The embedded agent, which needs no model. */
export const eliza = {
  id: "eliza",
  name: "Eliza",
  description: "the test agent inside Symposium, which talks without a language model",
} as const;

/** The agents to list: those that always are, and those whose program `isOnPath` finds. */
export function listedAgents(isOnPath: (program: string) => boolean): readonly AgentRow[] {
  return agentTable.filter(({ isListedAlways, program }) => isListedAlways === true || isOnPath(program));
}

/**
 * The built-in agents as entries: the well-known ones, those whose program `isOnPath` finds, and the embedded one. A
 * program that is there is preferred to installing its package.
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

/** What is built in of the agent with this id, whether or not its program is there. */
export function builtInAgent(id: string): AgentRow | undefined {
  return agentTable.find((agent) => agent.id === id);
}

/** The built-in id that `id` is another name of, or `id` itself. */
export function canonicalAgentId(id: string): string {
  if (id === "elizacp") return eliza.id;
  return agentTable.find(({ aliases }) => aliases?.includes(id) === true)?.id ?? id;
}

function distributionOf(
  { program, args, npmPackage }: Pick<AgentRow, "program" | "args" | "npmPackage">,
  isOnPath: (program: string) => boolean,
): Distribution {
  if (npmPackage === undefined || isOnPath(program)) return { executable: { command: program, args } };
  return { npx: { package: npmPackage, args } };
}
