import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import type { ContextItem } from "../context-item.js";
import { plannedCommands } from "./commands-source.js";
import type { ContextPlaces } from "./places.js";
import { plannedRules } from "./rules-source.js";
import { plannedSkills } from "./skills-source.js";

/**
 * Lists all rule files, skills and commands of a folder and its user, and how each is treated for an agent. `row` is undefined for an
 * unknown agent. Only reads files and never rejects.
 */
export async function contextItems(
  places: ContextPlaces,
  row: AgentRow | undefined,
  { settings, isTrusted }: { readonly settings: ContextSettings; readonly isTrusted: boolean },
): Promise<readonly CountedItem[]> {
  const [rules, skills, commands] = await Promise.all([
    plannedRules(places, row, settings),
    plannedSkills(places, row, { ...settings, isTrusted }),
    plannedCommands(places, row, settings),
  ]);
  const items = [
    ...switched(rules.items, settings.rules),
    ...switched(skills.items, settings.skills),
    ...switched(commands.items, settings.commands),
  ];
  return items.map((item) => ({ ...item, tokens: Math.ceil(item.bytes / bytesPerToken) }));
}

/** Rough average number of bytes per token for English and Markdown. */
const bytesPerToken = 4;

export interface CountedItem extends ContextItem {
  readonly tokens: number;
}

function switched(items: readonly ContextItem[], isOn: boolean): readonly ContextItem[] {
  return isOn ? items : items.map((item) => (item.isSent ? { ...item, isSent: false, reason: "switched off" } : item));
}
