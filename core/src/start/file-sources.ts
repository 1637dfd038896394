import { homedir } from "node:os";
import type { AgentComponent } from "../conductor/component.js";
import type { ContextSource } from "../context/contribution.js";
import { rulesSource, type SourceServices } from "../context/node/rules-source.js";
import { readConfig } from "../node/config-file.js";
import { type ContextSettings, defaultContextSettings } from "../settings/context-settings.js";
import { builtInNames, userConfigFile } from "./configuration.js";

/** What sessions get of the files of the project and of the user. Agents of our own have no model to instruct. */
export function fileSources({ kind }: AgentComponent): readonly ContextSource[] {
  if (kind === "agent") return [];
  const services: SourceServices = { home: homedir(), env: process.env, settings: userContextSettings };
  return [rulesSource(services)];
}

/** What config.jsonc says of it now, so that changes count from the next session on. */
async function userContextSettings(): Promise<ContextSettings> {
  const state = await readConfig(userConfigFile(), builtInNames);
  return state.state === "ok" ? state.config.settings.context : defaultContextSettings;
}
