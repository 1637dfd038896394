import { homedir } from "node:os";
import type { AgentComponent } from "../conductor/component.js";
import type { ContextSource } from "../context/contribution.js";
import { commandsSource } from "../context/node/commands-source.js";
import { skillsSource } from "../context/node/skills-source.js";
import { rulesSource, type SourceServices } from "../context/node/rules-source.js";
import { contextItems, type CountedItem } from "../context/node/context-items.js";
import { readConfig } from "../node/config-file.js";
import { type ContextSettings, defaultContextSettings } from "../settings/context-settings.js";
import type { AgentRow } from "../registry/agent-table.js";
import type { Environment } from "./environment.js";
import { builtInNames, userConfigFile } from "./configuration.js";

/** What sessions get of the files of the project and of the user. Agents of our own have no model to instruct. */
export function fileSources({ kind }: AgentComponent): readonly ContextSource[] {
  if (kind === "agent") return [];
  const services: SourceServices = { home: homedir(), env: process.env, settings: userContextSettings };
  return [rulesSource(services), skillsSource(services), commandsSource(services)];
}

/**
 * What an agent gets of the files of `folder`, absolute, and of the user: every rules file, skill and command, sent or not.
 * `row` is the agent's in the table; undefined for one that nobody knows.
 */
export async function fileContextItems(
  folder: string,
  row: AgentRow | undefined,
  { projects }: Pick<Environment, "projects">,
): Promise<readonly CountedItem[]> {
  const [settings, project] = await Promise.all([userContextSettings(), projects.files.read(folder)]);
  const places = {
    roots: [folder],
    home: homedir(),
    env: process.env,
    instructionFiles: project.instructionFiles,
  };
  return contextItems(places, row, { settings, isTrusted: project.isTrusted });
}

/** What config.jsonc says of it now, so that changes count from the next session on. */
async function userContextSettings(): Promise<ContextSettings> {
  const state = await readConfig(userConfigFile(), builtInNames);
  return state.state === "ok" ? state.config.settings.context : defaultContextSettings;
}
