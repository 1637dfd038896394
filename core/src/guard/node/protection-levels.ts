import { SymposiumError } from "../../base/symposium-error.js";
import { rowOfCommand } from "../../agents/agent-quirks.js";
import type { AgentComponent } from "../../conductor/chain/component.js";
import { type AgentLevel, levelAmong } from "../agent-level.js";
import { GuardFiles } from "./guard-rule-files.js";
import { type AgentRow, agentTable } from "../../agents/registry/agent-table.js";
import { canonicalAgentId } from "../../agents/registry/built-in-agents.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { isWeaker, type LowestLevel, lowestLevel } from "../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../settings/managed-policy/node/system-policy.js";

/** An agent, identified by its name in the configuration or by its start command. */
type NamedAgent = Component | AgentComponent;

/** Reads the levels of guard.jsonc. */
interface LevelsSource {
  own(): Promise<{ readonly levels: readonly AgentLevel[] }>;
}

/**
 * Protection levels of agents: those in the user's guard.jsonc, otherwise the level in the setting `guard` or in an option; in any case at
 * least the organisation's lowest level.
 */
export class ProtectionLevels {
  /** `usual` is the level of agents that have no entry in `levels`. */
  constructor(
    private readonly usual: ProtectionLevel,
    private readonly levels: readonly AgentLevel[] = [],
    /** The organisation's lowest level, if there is one. */
    readonly lowest?: LowestLevel,
  ) {}

  static async read(usual: ProtectionLevel, files: LevelsSource = new GuardFiles()): Promise<ProtectionLevels> {
    const [{ levels }, policy] = await Promise.all([files.own(), systemPolicy()]);
    return new ProtectionLevels(usual, levels, lowestLevel(policy));
  }

  /**
   * Returns an agent's level. Throws `invalid-config` if the agent's entry is unreadable, since the entry may have required the sandbox.
   */
  of(agent: NamedAgent): ProtectionLevel {
    const found = this.entryOf(agent);
    if (!found) return this.#atLeast(this.usual);
    if (found.level !== undefined) return this.#atLeast(found.level);
    throw new SymposiumError(
      "invalid-config",
      `${found.place}: the protection level of ${idOfAgent(agent)} can't be read, so the agent was not started.`,
      'Fix the file: "agents" maps agent IDs to "rules", "sandbox" or "off".',
    );
  }

  /** Returns the organisation's lowest level if the agent would have a weaker one without it. */
  raised(agent: NamedAgent): LowestLevel | undefined {
    const own = this.entryOf(agent)?.level ?? this.usual;
    return this.lowest && isWeaker(own, this.lowest.level) ? this.lowest : undefined;
  }

  entryOf(agent: NamedAgent): AgentLevel | undefined {
    return levelAmong(this.levels, namesOf(agent));
  }

  /** Returns whether any of the agents runs in a sandbox. Pass `any` if the agents aren't known yet. */
  areSandboxed(agents: readonly NamedAgent[] | "any"): boolean {
    if (agents !== "any") return agents.some((agent) => this.of(agent) === "sandbox");
    return this.#atLeast(this.usual) === "sandbox" || this.levels.some(({ level }) => level === "sandbox");
  }

  #atLeast(level: ProtectionLevel): ProtectionLevel {
    return this.lowest && isWeaker(level, this.lowest.level) ? this.lowest.level : level;
  }
}

export function idOfAgent(agent: NamedAgent): string {
  return namesOf(agent)[0] ?? "";
}

export function isAgentNamed(agent: NamedAgent, name: string): boolean {
  return namesOf(agent).includes(name);
}

/** Returns the agent's row in the table of tested agents; undefined for other agents. */
export function rowOfAgent(agent: NamedAgent): AgentRow | undefined {
  // The name of an agent may also be the name of a program.
  const command = "command" in agent ? agent.command : { command: ownName(agent), args: [], env: {} };
  return rowOfCommand(command) ?? agentTable.find(({ id }) => id === canonicalAgentId(ownName(agent)));
}

/**
 * Returns the agent's own name first, then the names of the agent that its command starts. An agent therefore has the same level under each
 * of its names, even if its name changes once its program is known.
 */
export function namesOf(agent: NamedAgent): readonly string[] {
  const own = ownName(agent);
  const row = rowOfAgent(agent);
  return [...new Set([canonicalAgentId(own), own, ...(row ? [row.id, ...(row.aliases ?? []), row.program] : [])])];
}

function ownName(agent: NamedAgent): string {
  return agent.kind === "agent" ? agent.agent.name : agent.name;
}
