import type { Command } from "../base/command.js";
import { type AgentRow, agentTable } from "./registry/agent-table.js";
import { eliza, listedAgents } from "./registry/built-in-agents.js";

export interface KnownAgent {
  readonly id: string;
  readonly name: string;
  /** Value for the configuration's `agent`, as shell words. */
  readonly words: string;
  readonly description: string;
  /** Prerequisite, as a phrase that follows "needs"; absent if there is none. */
  readonly needs?: string;
  /** `path`: its program is on PATH. `npx`: the first start downloads it. `embedded`: part of Symposium. */
  readonly origin: "path" | "npx" | "embedded";
  /** Program to install before the agent can start; absent if it is on PATH. */
  readonly missing?: string;
}

const embedded: KnownAgent = { ...eliza, words: "eliza", origin: "embedded" };

/**
 * Agents to offer, in table order: well-known agents, agents whose program `isOnPath` finds, and the embedded one. A program on PATH is
 * preferred to downloading its package with npx.
 */
export function knownAgents(isOnPath: (program: string) => boolean): readonly KnownAgent[] {
  return [...listedAgents(isOnPath).map((entry) => toKnownAgent(entry, isOnPath)), embedded];
}

/** Returns the {@link knownAgents} entry with this id without looking up other agents' programs. */
export function knownAgent(id: string, isOnPath: (program: string) => boolean): KnownAgent | undefined {
  const row = agentTable.find((one) => one.id === id);
  const entry = row && (row.isListedAlways === true || isOnPath(row.program)) ? row : undefined;
  if (entry) return toKnownAgent(entry, isOnPath);
  return id === embedded.id ? embedded : undefined;
}

function toKnownAgent(entry: AgentRow, isOnPath: (program: string) => boolean): KnownAgent {
  const { id, name, description, needs, program, args, npmPackage } = entry;
  const shared = { id, name, description, needs };
  if (npmPackage === undefined || isOnPath(program)) {
    const words = [program, ...args].join(" ");
    return { ...shared, words, origin: "path", ...(isOnPath(program) ? {} : { missing: program }) };
  }
  const words = ["npx", "-y", npmPackage, ...args].join(" ");
  return { ...shared, words, origin: "npx", ...(isOnPath("npx") ? {} : { missing: "npx" }) };
}

/** Returns the agent's id if `command` is exactly the npx command of a {@link KnownAgent}; otherwise undefined. */
export function idOfNpxCommand({ command, args, env }: Command): string | undefined {
  if (command !== "npx" || Object.keys(env).length > 0) return undefined;
  const words = [command, ...args].join(" ");
  return knownAgents(() => false).find((agent) => agent.origin === "npx" && agent.words === words)?.id;
}
