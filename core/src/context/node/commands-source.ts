import { utf8Length } from "../../base/text-bounds.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ContextSettings } from "../../settings/context-settings.js";
import { isExcluded } from "../../settings/context-exclusions.js";
import { expandTemplate } from "../command-template.js";
import type { ContextItem } from "../context-item.js";
import type { ContextSource, SlashCommand } from "../contribution.js";
import { findCommands, type FoundCommand } from "./found-commands.js";
import type { ContextPlaces } from "./places.js";
import type { SourceServices } from "./rules-source.js";

/** Offers commands and prompts from all agents' folders as slash commands, except those that the agent itself announces. */
export function commandsSource({ home, env, settings }: SourceServices): ContextSource {
  return {
    name: "commands",
    async open({ roots, row }) {
      const said = await settings();
      if (!said.commands) return {};
      const { commands } = await plannedCommands({ roots, home, env, instructionFiles: [] }, row, said);
      return commands.length === 0 ? {} : { commands: { current: () => commands } };
    },
  };
}

export async function plannedCommands(
  places: ContextPlaces,
  row: AgentRow | undefined,
  { exclude }: ContextSettings,
): Promise<{ readonly items: readonly ContextItem[]; readonly commands: readonly SlashCommand[] }> {
  const found = await findCommands(places);
  const isNative = ({ form }: FoundCommand): boolean => row !== undefined && form.readBy.includes(row.id);
  const native = new Set(found.filter(isNative).map(({ name }) => name));
  const taken = new Set<string>();
  const commands: SlashCommand[] = [];
  const items = found.map((command): ContextItem => {
    const { name, title, path, description, hint, template } = command;
    const item = { kind: "command", title: `/${name}`, origin: path, bytes: utf8Length(template) } as const;
    const whyNot = isNative(command)
      ? "the agent provides it itself"
      : native.has(name) || taken.has(name)
        ? "another command has the same name"
        : isExcluded(exclude, [title, `/${name}`], path, places.home)
          ? "switched off"
          : undefined;
    if (whyNot !== undefined) return { ...item, isSent: false, reason: whyNot };
    taken.add(name);
    const expand: SlashCommand["expand"] = (words) =>
      Promise.resolve([{ type: "text", text: expandTemplate(template, words) }]);
    commands.push({ name, description, ...(hint !== undefined && { hint }), expand });
    return { ...item, isSent: true, reason: "when the user calls it" };
  });
  return { items, commands };
}
