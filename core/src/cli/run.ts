import { defaultSettings } from "../settings/settings-table.js";
import { commonOptions, parseCommandLine } from "./command-line.js";
import { readUserConfig } from "./configuration.js";
import { configuredPlan } from "./configured-plan.js";
import { openEnvironment } from "./environment.js";
import { type ChainPlan, openChain } from "./open-chain.js";
import { serveChain } from "./serve-chain.js";

/**
 * `run`: the chain of config.jsonc, with what users may choose in it; where there is none, or a broken one, an agent
 * that sets it up.
 */
export async function run(words: readonly string[]): Promise<number> {
  const { values } = parseCommandLine("run", words, commonOptions);
  const state = await readUserConfig();
  const settings = state.state === "ok" ? state.config.settings : defaultSettings;
  const environment = await openEnvironment({ log: values.log, traceDir: values["trace-dir"], settings });
  const configured = await configuredPlan(state, environment);
  if (configured.kind === "plan") {
    const [{ ChainChoices }, { serveChoices }] = await Promise.all([
      import("./chain-choices.js"),
      import("./serve-choices.js"),
    ]);
    const choices = await ChainChoices.of(configured.state, configured.agent);
    return serveChoices(configured.plan, choices, environment);
  }
  const { makeSetupAgent } = await import("./setup-agent.js");
  const setup = makeSetupAgent(configured.reason, environment);
  const plan: ChainPlan = { proxies: [], agent: { kind: "agent", agent: setup } };
  return serveChain(environment, (client, hooks) => openChain(plan, environment, client, hooks));
}
