import { nameOf } from "../../conductor/chain/component.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { proxiesOfTexts, toAgent } from "../components.js";
import { readAgentText } from "../../agents/node/find-agent.js";
import { openEnvironment } from "../environment.js";
import { commonOptions, hostOption, machineOptions, proxyOption } from "./options.js";
import { subcommand } from "./subcommand.js";

/**
 * `run-with --proxy X… [--agent X]`: runs an explicit chain. Without an agent, the chain acts as a component in another conductor's chain.
 */
export const runWith = subcommand({
  name: "run-with",
  about: "Start a given chain over stdio, for editors and other programs.",
  options: {
    ...proxyOption,
    agent: {
      value: "X",
      about:
        "the agent: a known name, an installed id, a command such as 'opencode acp', or JSON. " +
        "Without an agent, run-with is a proxy for another conductor",
    },
    "startup-timeout": {
      value: "SECONDS",
      mostSeconds: 24 * 60 * 60,
      about: `maximum time for a component to answer initialize (default: ${defaultSettings.startupTimeoutMs / 1_000})`,
    },
    "command-output": {
      value: "short|full",
      choices: ["short", "full"],
      about: "short (default) sets variables that make test runners and linters write less",
    },
    guard: {
      value: "rules|sandbox|off",
      choices: ["rules", "sandbox", "off"],
      about:
        "rules (apply guard.jsonc), sandbox (also run in a sandbox) or off (default: the level in guard.jsonc, or else rules)",
    },
    ...hostOption,
    ...machineOptions,
    ...commonOptions,
  },
  async run({ values }) {
    const { guard, "startup-timeout": startupTimeoutMs, "command-output": commandOutput } = values;
    const component = values.agent === undefined ? undefined : readAgentText(values.agent);
    await using environment = await openEnvironment({
      values,
      settings: {
        ...defaultSettings,
        ...(startupTimeoutMs !== undefined && { startupTimeoutMs }),
        ...(commandOutput && { commandOutput }),
        ...(guard && { guard }),
      },
      // The `--guard` option overrides the agent's level in guard.jsonc.
      ...(!guard && { agents: component ? [component] : [] }),
    });
    const agent = component && (await toAgent(component, environment));
    if (agent) environment.startEarly(agent);
    // The chain loads while the agent's process starts.
    const { openChain, serveChain } = await import("../serve-chain.js");
    const proxies = await proxiesOfTexts(values.proxy ?? [], environment);
    const signInWords = values.agent === undefined ? [] : ["--agent", values.agent];
    const places = { agent: "--agent", proxies: "--proxy", startupTimeout: "--startup-timeout" };
    const plan = {
      proxies,
      ...(agent && { agent, kept: { agent: nameOf(agent) } }),
      signInWords,
      places,
    };
    return await serveChain(
      environment,
      (client, hooks) => openChain(plan, environment, client, hooks),
      // Without an agent, another conductor handles the editor.
      agent && { agentOf: () => nameOf(agent) },
    );
  },
});
