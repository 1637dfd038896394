import type { Command } from "../base/command.js";
import { type AgentRow, agentTable } from "./registry/agent-table.js";
import { eliza, listedAgents } from "./registry/built-in-agents.js";

/** An agent that can be chosen without knowing its command. */
export interface KnownAgent {
  /** Short and stable, such as `gemini-cli`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** What the configuration's `agent` says: shell words. */
  readonly words: string;
  /** One phrase for people. */
  readonly description: string;
  /** What the user must have, as a phrase that follows "needs"; absent when nothing. */
  readonly needs?: string;
  /** `path`: its program is there. `npx`: the first start downloads it. `embedded`: part of this product. */
  readonly origin: "path" | "npx" | "embedded";
  /** The program to install before it can start, when that is not on PATH. */
  readonly missing?: string;
}

const embedded: KnownAgent = { ...eliza, words: "eliza", origin: "embedded" };

/**
 * The agents to offer, in the order of the list: the well-known ones, those whose program `isOnPath` finds, and
 * the embedded one. A program that is there is preferred to downloading its package with npx.
 */
export function knownAgents(isOnPath: (program: string) => boolean): readonly KnownAgent[] {
  return [...listedAgents(isOnPath).map((entry) => toKnownAgent(entry, isOnPath)), embedded];
}

/** The one of {@link knownAgents} that has this id; no other one's program is looked for. */
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

/** The id of the agent whose package `command` has npx start, with the words that {@link KnownAgent} has for it. */
export function idOfNpxCommand({ command, args, env }: Command): string | undefined {
  if (command !== "npx" || Object.keys(env).length > 0) return undefined;
  const words = [command, ...args].join(" ");
  return knownAgents(() => false).find((agent) => agent.origin === "npx" && agent.words === words)?.id;
}
