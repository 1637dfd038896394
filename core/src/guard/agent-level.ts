import { editsBetween } from "../base/nearest-word.js";
import { agentTable } from "../agents/registry/agent-table.js";
import { eliza } from "../agents/registry/built-in-agents.js";
import type { JsonPath } from "../base/problem.js";
import { type ProtectionLevel, protectionLevels } from "../base/safety/protection-level.js";

/** Protection level that a guard.jsonc sets for an agent. */
export interface AgentLevel {
  /** Agent id, or `*` for every agent that has no entry. */
  readonly agent: string;
  /** Protection level; undefined if the value is invalid. */
  readonly level: ProtectionLevel | undefined;
  /** Location of the entry as `FILE:LINE`, for display. */
  readonly place: string;
}

interface LevelsReading {
  /** Whether the file belongs to a repository. Such a file must not set levels. */
  readonly isOfProject: boolean;
  /** Called with invalid entries. `path` is relative to `agents`. */
  readonly report: (path: JsonPath, message: string, hint?: string) => void;
  /** Called with entries that are valid but probably a mistake. */
  readonly note: (path: JsonPath, message: string, hint: string) => void;
  readonly placeOf: (agent: string) => string;
}

/** Parses the protection levels of agents: `{"claude-code": "sandbox", "*": "rules"}`. */
export function readLevels(
  value: unknown,
  { isOfProject, report, note, placeOf }: LevelsReading,
): readonly AgentLevel[] {
  if (value === undefined) return [];
  if (isOfProject) {
    report([], "A repository can't set the protection levels of agents.", "Set this in your own guard.jsonc.");
    return [];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    report([], '"agents" must be an object with agent IDs.');
    return [{ agent: "*", level: undefined, place: placeOf("") }];
  }
  return Object.entries(value).map(([agent, given]: readonly [string, unknown]) => {
    const level = protectionLevels.find((one) => one === given);
    if (level === undefined) {
      report([agent], `"${agent}" is ${JSON.stringify(given)}.`, 'Use "rules", "sandbox" or "off".');
    }
    noteMisspelt(agent, (...said) => note([agent], ...said));
    return { agent, level, place: placeOf(agent) };
  });
}

/** Calls `note` if the agent's name is probably misspelled. */
export function noteMisspelt(given: string, note: (message: string, hint: string) => void): void {
  const meant = misspelt(given);
  if (meant === undefined) return;
  note(
    `"${given}" isn't a known agent, so this applies only to one of your own agents with that name.`,
    `Did you mean "${meant}"?`,
  );
}

/**
 * Returns the id of the agent whose name is probably misspelled. Names of the user's own agents, such as `codex-2`, aren't misspellings.
 */
function misspelt(given: string): string | undefined {
  const rows = agentTable.map(({ id, aliases = [], program }) => ({ id, names: [id, ...aliases, program] }));
  const known = [...rows, { id: eliza.id, names: [eliza.id] }];
  if (known.some(({ names }) => names.includes(given))) return undefined;
  const isMeant = (name: string): boolean => {
    if (name.startsWith(`${given.toLowerCase()}-`)) return true;
    if (given.startsWith(name) && !/^[a-z]/i.test(given.slice(name.length))) return false;
    return name.length > 3 && editsBetween(given.toLowerCase(), name) <= (name.length > 5 ? 2 : 1);
  };
  return known.find(({ names }) => names.some(isMeant))?.id;
}

/** Returns the level of the first name that has one, or else the level for `*`; undefined if there is neither. */
export function levelAmong(levels: readonly AgentLevel[], names: readonly string[]): AgentLevel | undefined {
  for (const name of [...names, "*"]) {
    const found = levels.find(({ agent }) => agent === name);
    if (found) return found;
  }
  return undefined;
}
