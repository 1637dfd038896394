import { SymposiumError } from "../../base/symposium-error.js";
import { rowOfCommand } from "../../agents/agent-quirks.js";
import type { AgentComponent } from "../../conductor/chain/component.js";
import { type AgentLevel, levelAmong } from "../agent-level.js";
import { GuardFiles } from "./guard-files.js";
import { type AgentRow, agentTable } from "../../agents/registry/agent-table.js";
import { canonicalAgentId } from "../../agents/registry/built-in-agents.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";

/** An agent as somebody named it, or as it starts. */
type NamedAgent = Component | AgentComponent;

/** How agents are held: as the user's guard.jsonc says of each, else as the setting `guard` or an option says of all. */
export class ProtectionLevels {
  /** `usual` holds for agents of which `levels` says nothing. */
  constructor(
    private readonly usual: ProtectionLevel,
    private readonly levels: readonly AgentLevel[] = [],
  ) {}

  /** As the file says by now. */
  static async read(usual: ProtectionLevel): Promise<ProtectionLevels> {
    const { levels } = await new GuardFiles().own();
    return new ProtectionLevels(usual, levels);
  }

  /** Throws `invalid-config` where the file has something for it that cannot be read: that may have been a sandbox. */
  of(agent: NamedAgent): ProtectionLevel {
    const found = this.entryOf(agent);
    if (!found) return this.usual;
    if (found.level !== undefined) return found.level;
    throw new SymposiumError(
      "invalid-config",
      `${found.place}: how ${idOfAgent(agent)} is to be held cannot be read, so it is not started.`,
      'Mend the file: "agents" has the ids of agents, each with "rules", "sandbox" or "off".',
    );
  }

  /** What the file says of it. */
  entryOf(agent: NamedAgent): AgentLevel | undefined {
    return levelAmong(this.levels, namesOf(agent));
  }

  /** Whether one of these runs in a sandbox; of any agent, where it is not known yet which will be wanted. */
  areSandboxed(agents: readonly NamedAgent[] | "any"): boolean {
    if (agents !== "any") return agents.some((agent) => this.of(agent) === "sandbox");
    return this.usual === "sandbox" || this.levels.some(({ level }) => level === "sandbox");
  }
}

/** The id under which guard.jsonc has an agent. */
export function idOfAgent(agent: NamedAgent): string {
  return namesOf(agent)[0] ?? "";
}

/** Whether guard.jsonc means an agent by this name. */
export function isAgentNamed(agent: NamedAgent, name: string): boolean {
  return namesOf(agent).includes(name);
}

/** What is known of an agent; undefined for those that nobody has tried. */
export function rowOfAgent(agent: NamedAgent): AgentRow | undefined {
  // A word is a program's name, too.
  const command = "command" in agent ? agent.command : { command: ownName(agent), args: [], env: {} };
  return rowOfCommand(command) ?? agentTable.find(({ id }) => id === canonicalAgentId(ownName(agent)));
}

/**
 * Its own name goes before those of the agent that its command starts: how it was asked for must not decide whether it is held, and
 * it has another name once its program is known.
 */
export function namesOf(agent: NamedAgent): readonly string[] {
  const own = ownName(agent);
  const row = rowOfAgent(agent);
  return [...new Set([canonicalAgentId(own), own, ...(row ? [row.id, ...(row.aliases ?? []), row.program] : [])])];
}

function ownName(agent: NamedAgent): string {
  return agent.kind === "agent" ? agent.agent.name : agent.name;
}
