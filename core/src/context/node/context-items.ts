import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import type { ContextItem } from "../context-item.js";
import { plannedCommands } from "./commands-source.js";
import type { ContextPlaces } from "./places.js";
import { plannedRules } from "./rules-source.js";
import { plannedSkills } from "./skills-source.js";

/**
 * Every rules file, skill and command of a folder and its user, with what becomes of it for an agent; `row` is undefined for
 * one that nobody knows. Reads alone, and never rejects.
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

/** About what models make of English and of Markdown. */
const bytesPerToken = 4;

export interface CountedItem extends ContextItem {
  /** What `bytes` are to a model, estimated. */
  readonly tokens: number;
}

function switched(items: readonly ContextItem[], isOn: boolean): readonly ContextItem[] {
  return isOn ? items : items.map((item) => (item.isSent ? { ...item, isSent: false, reason: "switched off" } : item));
}
