import { defaultSettings } from "../../settings/settings-table.js";
import { ChainChoices } from "../chain-choices.js";
import { commonOptions, parseCommandLine } from "../command-line.js";
import { proxiesOfConfig, readAgentText, toAgent } from "../components.js";
import { builtInNames, readConfiguration } from "../configuration.js";
import { openEnvironment } from "../environment.js";
import type { ChainPlan } from "../open-chain.js";
import { serveChoices } from "../serve-choices.js";

/** Subcommands that sign-ins in a terminal are. */
const signIns: Readonly<Record<string, (words: readonly string[]) => Promise<number>>> = {
  "sign-in": async (words) => (await import("../sign-in.js")).signIn(words),
  setup: async (words) => (await import("../setup.js")).setup(words),
};

/**
 * `zed run --agent X`: the configured proxies, which users may switch, before another agent. Zed appends the words of a
 * sign-in to those of the agent it starts, so that `sign-in ...` or `setup` after them is the subcommand of that name.
 */
export async function run(words: readonly string[]): Promise<number> {
  for (const [index, word] of words.entries()) {
    const signIn = Object.hasOwn(signIns, word) && words[index - 1] !== "--agent" ? signIns[word] : undefined;
    if (signIn) return signIn(words.slice(index + 1));
  }
  const { values } = parseCommandLine("zed run", words, { ...commonOptions, agent: { type: "string" } });
  if (values.agent === undefined) return (await import("../run.js")).run(words);
  const component = readAgentText(values.agent);
  const state = await readConfiguration();
  // The agent that `run` puts there says which line of the file to mend.
  if (state.state === "broken") return (await import("../run.js")).run(commonWords(values));
  const config = state.state === "ok" ? state.config : undefined;
  const settings = config?.settings ?? defaultSettings;
  const environment = await openEnvironment({ log: values.log, traceDir: values["trace-dir"], settings });
  const entries = config?.proxies ?? builtInNames.map((name) => ({ name, enabled: true }));
  const plan: ChainPlan = {
    proxies: await proxiesOfConfig(entries, environment),
    agent: await toAgent(component, environment),
    signInWords: ["--agent", values.agent],
  };
  return serveChoices(plan, await ChainChoices.ofAgent(values.agent, entries, state.file), environment);
}

/** The options that all subcommands share, as words again. */
function commonWords(values: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(commonOptions).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}=${value}`];
  });
}
