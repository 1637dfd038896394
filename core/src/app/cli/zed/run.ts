import { defaultSettings } from "../../../settings/settings-table.js";
import { ChainChoices } from "../../chain-choices.js";
import { proxiesOfConfig, toAgent } from "../../components.js";
import { readAgentText } from "../../../agents/node/find-agent.js";
import { defaultExtensions } from "../../../extensions/extension-names.js";
import { readConfiguration } from "../../read-user-config.js";
import { openEnvironment } from "../../environment.js";
import { type ChainPlan, configPlaces } from "../../serve-chain.js";
import { serveChoices } from "../../serve-switchable-chain.js";
import { commonOptions, hostOption } from "../options.js";
import type { Subcommand } from "../declaration.js";
import { subcommand } from "../subcommand.js";

const signIns: Readonly<Record<string, (words: readonly string[]) => Promise<number>>> = {
  "sign-in": async (words) => (await import("../sign-in.js")).signIn(words),
  setup: async (words) => (await import("../setup.js")).setup(words),
};

/**
 * `zed run --agent X`: runs the configured proxies before another agent. Zed appends sign-in arguments to the agent's command, so `sign-in
 * ...` or `setup` at the end runs that subcommand instead.
 */
export const run: Subcommand = async (words) => {
  for (const [index, word] of words.entries()) {
    const signIn = Object.hasOwn(signIns, word) && words[index - 1] !== "--agent" ? signIns[word] : undefined;
    if (signIn) return signIn(words.slice(index + 1));
  }
  return runBeforeAgent(words);
};

const runBeforeAgent = subcommand({
  name: "zed run",
  about: "Start the configured proxies and an agent, for Zed.",
  options: {
    agent: { value: "X", about: "the agent, as for run-with (default: the configured agent)" },
    ...hostOption,
    ...commonOptions,
  },
  async run({ values: { agent, host: _host, ...values } }) {
    if (agent === undefined) return (await import("../run.js")).run(commonWords(values));
    const component = readAgentText(agent);
    const state = await readConfiguration();
    // The setup agent that `run` starts reports the line to fix.
    if (state.state === "broken") return (await import("../run.js")).run(commonWords(values));
    const config = state.state === "ok" ? state.config : undefined;
    const settings = config?.settings ?? defaultSettings;
    await using environment = await openEnvironment({ values, settings, agents: "any" });
    const entries = config?.proxies ?? defaultExtensions.map((name) => ({ name, enabled: true }));
    const started = await toAgent(component, environment);
    environment.startEarly(started);
    const plan: ChainPlan = {
      proxies: await proxiesOfConfig(entries, environment),
      agent: started,
      signInWords: ["--agent", agent],
      places: { ...configPlaces, agent: "--agent" },
    };
    return await serveChoices(() => plan, await ChainChoices.ofAgent(agent, entries, state.file), environment);
  },
});

function commonWords(values: Readonly<Record<string, string | readonly string[] | undefined>>): readonly string[] {
  return Object.keys(commonOptions).flatMap((name) => {
    const given = values[name] ?? [];
    return (typeof given === "string" ? [given] : given).map((value) => `--${name}=${value}`);
  });
}
