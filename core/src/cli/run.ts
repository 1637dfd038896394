import type { Config } from "../settings/config.js";
import { defaultSettings } from "../settings/settings-table.js";
import type { SetupReason } from "../agents/setup/setup-options.js";
import { commonOptions, parseCommandLine } from "./command-line.js";
import { proxiesOfConfig, toAgent } from "./components.js";
import { readUserConfig } from "./configuration.js";
import { type Environment, openEnvironment } from "./environment.js";
import { type ChainPlan, openChain } from "./open-chain.js";
import { serveChain } from "./serve-chain.js";

/** `run`: the chain of config.jsonc; where there is none, or a broken one, an agent that sets it up. */
export async function run(words: readonly string[]): Promise<number> {
  const { values } = parseCommandLine("run", words, commonOptions);
  const state = await readUserConfig();
  const settings = state.state === "ok" ? state.config.settings : defaultSettings;
  const environment = await openEnvironment({ log: values.log, traceDir: values["trace-dir"], settings });
  if (state.state === "ok" && state.config.agent) {
    const plan = await planOf(state.config, environment);
    return serveChain(environment, (client, hooks) => openChain(plan, environment, client, hooks));
  }
  const reason: SetupReason = state.state === "broken" ? { ...state, kind: "broken" } : { kind: "absent" };
  const { makeSetupAgent } = await import("./setup-agent.js");
  const plan: ChainPlan = { proxies: [], agent: { kind: "agent", agent: makeSetupAgent(reason, environment) } };
  return serveChain(environment, (client, hooks) => openChain(plan, environment, client, hooks));
}

/** The chain that a configuration describes. */
export async function planOf(config: Config, environment: Environment): Promise<ChainPlan> {
  const proxies = await proxiesOfConfig(config.proxies, environment);
  const agent = config.agent && (await toAgent(config.agent, environment));
  return { proxies, ...(agent && { agent }), signInWords: [] };
}
