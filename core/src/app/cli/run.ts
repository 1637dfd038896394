import { defaultSettings } from "../../settings/settings-table.js";
import { readUserConfig } from "../read-user-config.js";
import { configuredPlan, withProjectChain } from "../configured-plan.js";
import { openEnvironment } from "../environment.js";
import { commonOptions, hostOption, machineOptions } from "./options.js";
import type { FirstPlan } from "../serve-switchable-chain.js";
import { subcommand } from "./subcommand.js";

const terminalHint =
  "this waits for an editor that speaks the Agent Client Protocol. To chat in this terminal, press Ctrl-C and run `symposium-acp-agent chat`; --help lists everything else.";

/**
 * `run`: runs the chain of config.jsonc and lets the user change its agent and proxies. Without a usable configuration, runs the setup
 * agent.
 */
export const run = subcommand({
  name: "run",
  about: "Start the chain of ~/.symposium/config.jsonc over stdio. Asks for an agent if none is configured.",
  options: { ...hostOption, ...machineOptions, ...commonOptions },
  async run({ values }) {
    if (process.stdin.isTTY) process.stderr.write(`symposium-acp-agent: ${terminalHint}\n`);
    const users = await readUserConfig();
    const settings = users.state === "ok" ? users.config.settings : defaultSettings;
    await using environment = await openEnvironment({ values, settings, agents: "any" });
    const state = await withProjectChain(users, environment);
    const configured = await configuredPlan(state, environment);
    if (configured.kind === "plan" && configured.plan.agent) environment.startEarly(configured.plan.agent);
    const { serveChoices } = await import("../serve-switchable-chain.js");
    if (configured.kind === "plan") {
      const { ChainChoices } = await import("../chain-choices.js");
      const choices = await ChainChoices.of(configured.state, configured.agent);
      return await serveChoices(() => configured.plan, choices, environment);
    }
    const { SetupChoices, setupPlan } = await import("../setup-choices.js");
    const first: FirstPlan = (agentSwitch) => setupPlan(configured.reason, environment, agentSwitch);
    return await serveChoices(first, await SetupChoices.of(state), environment);
  },
});
