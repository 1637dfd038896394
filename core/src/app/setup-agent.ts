import { copyFile, rename } from "node:fs/promises";
import type { KnownAgent } from "../agents/known-agents.js";
import { SetupAgent } from "../agents/setup/setup-agent.js";
import type { SetupReason } from "../agents/setup/setup-agent-needs.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { AgentSwitch } from "../conductor/choices/agent-switch.js";
import type { Agent } from "../conductor/chain/component.js";
import { keptAsideName } from "../base/node/atomic-write.js";
import { lockConfig, writeConfig } from "../settings/node/config-file.js";
import { foundAgents } from "../agents/node/agents-on-path.js";
import type { Component } from "../settings/component-spec.js";
import { type AgentValue, newConfigText, withAgent } from "../settings/config-edit.js";
import type { Config } from "../settings/config.js";
import { formatShellWords } from "../base/shell-words.js";
import { proxiesOfConfig, toAgent } from "./components.js";
import { readAgentText } from "../agents/node/find-agent.js";
import { defaultExtensions } from "../extensions/extension-names.js";
import { readUserConfig, userConfigFile } from "./read-user-config.js";
import { configuredPlan } from "./configured-plan.js";
import type { Environment } from "./environment.js";
import { productVersion } from "../base/node/product-version.js";
import { openChain } from "./serve-chain.js";

export function makeSetupAgent(reason: SetupReason, environment: Environment, agentSwitch: AgentSwitch): Agent {
  return new SetupAgent({
    version: productVersion,
    reason,
    agentSwitch,
    extensions: defaultExtensions,
    agents: () => Promise.resolve(foundAgents()),
    save: saveAgent,
    reload: () => reload(environment),
    open: async (agent, client, hooks) => {
      const { component, config } = await chosen(agent);
      const proxies = await proxiesOfConfig(
        config?.proxies ?? defaultExtensions.map((name) => ({ name, enabled: true })),
        environment,
      );
      const plan = { proxies, agent: await toAgent(component, environment), signInWords: [] };
      return openChain(plan, environment, client, hooks);
    },
    terminalCommand: (_agent, { id }) =>
      formatShellWords({ command: "symposium-acp-agent", args: ["sign-in", id], env: {} }) ?? id,
  });
}

/** Writes the chosen agent to config.jsonc and preserves other settings. Saves a broken file next to it. */
export async function saveAgent(agent: { readonly words: AgentValue }): Promise<string> {
  const file = userConfigFile();
  await using _lock = await lockConfig(file);
  const state = await readUserConfig();
  if (state.state === "broken") await rename(file, keptAsideName(file));
  // The configured agent is unknown on this machine, so the user chose another agent. Save a copy of the old file, as the chat announced.
  if (state.state === "ok" && state.config.agent) await copyFile(file, keptAsideName(file));
  const text =
    state.state === "ok" ? withAgent(state.text, agent.words, file) : newConfigText(agent.words, defaultExtensions);
  await writeConfig(file, text);
  return file;
}

async function reload(environment: Environment): Promise<"ok" | SetupReason> {
  const configured = await configuredPlan(await readUserConfig(), environment);
  return configured.kind === "plan" ? "ok" : configured.reason;
}

async function chosen(agent: KnownAgent | undefined): Promise<{ component: Component; config: Config | undefined }> {
  const state = await readUserConfig();
  const config = state.state === "ok" ? state.config : undefined;
  const component = agent ? readAgentText(agent.words) : config?.agent;
  if (component) return { component, config };
  throw new SymposiumError(
    "invalid-config",
    `${userConfigFile()} doesn't set an agent.`,
    'Add "agent", or choose one here.',
  );
}
