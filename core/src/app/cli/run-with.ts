import { nameOf } from "../../conductor/chain/component.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { defaultSettings, type Settings } from "../../settings/settings-table.js";
import { proxiesOfTexts, toAgent } from "../components.js";
import { readAgentText } from "../../agents/node/find-agent.js";
import { openEnvironment } from "../environment.js";
import { openChain, serveChain } from "../serve-chain.js";
import { commonOptions, hostOption, machineOptions, proxyOption } from "./options.js";
import { subcommand } from "./subcommand.js";

const startupTimeoutOption = {
  "startup-timeout": {
    value: "SECONDS",
    about: `maximum time for a component to answer initialize (default: ${defaultSettings.startupTimeoutMs / 1_000})`,
  },
} as const;

const commandOutputOption = {
  "command-output": {
    value: "short|full",
    about: "short (default) sets variables that make test runners and linters write less",
  },
} as const;

const guardOption = {
  guard: {
    value: "rules|sandbox|off",
    about:
      "rules (apply guard.jsonc), sandbox (also run in a sandbox) or off (default: the level in guard.jsonc, or else rules)",
  },
} as const;

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
    ...startupTimeoutOption,
    ...commandOutputOption,
    ...guardOption,
    ...hostOption,
    ...machineOptions,
    ...commonOptions,
  },
  async run({ values }) {
    const component = values.agent === undefined ? undefined : readAgentText(values.agent);
    await using environment = await openEnvironment({
      log: values.log,
      traceDir: values["trace-dir"],
      trustedFolders: values["trusted-folder"],
      settings: { ...defaultSettings, ...startupTimeoutOf(values), ...commandOutputOf(values), ...guardOf(values) },
      // The `--guard` option overrides the agent's level in guard.jsonc.
      ...(values.guard === undefined && { agents: component ? [component] : [] }),
    });
    const agent = component && (await toAgent(component, environment));
    if (agent) environment.startEarly(agent);
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

const longestSeconds = 24 * 60 * 60;

/**
 * Converts the startup timeout option to a setting; empty if the option is absent. Throws `invalid-arguments` if its value isn't a valid
 * time.
 */
function startupTimeoutOf(values: {
  readonly "startup-timeout"?: string;
}): Partial<Pick<Settings, "startupTimeoutMs">> {
  const text = values["startup-timeout"];
  if (text === undefined) return {};
  const seconds = Number(text);
  if (seconds > 0 && seconds <= longestSeconds) return { startupTimeoutMs: Math.ceil(seconds * 1_000) };
  throw new SymposiumError(
    "invalid-arguments",
    `--startup-timeout ${text} isn't a valid time.`,
    `Give a number of seconds, more than 0 and at most ${longestSeconds}.`,
  );
}

function commandOutputOf(values: { readonly "command-output"?: string }): Partial<Pick<Settings, "commandOutput">> {
  const word = values["command-output"];
  if (word === undefined) return {};
  if (word === "short" || word === "full") return { commandOutput: word };
  throw new SymposiumError(
    "invalid-arguments",
    `--command-output must be short or full, not ${word}.`,
    "Give one of them.",
  );
}

function guardOf(values: { readonly guard?: string }): Partial<Pick<Settings, "guard">> {
  const word = values.guard;
  if (word === undefined) return {};
  if (word === "rules" || word === "sandbox" || word === "off") return { guard: word };
  throw new SymposiumError(
    "invalid-arguments",
    `--guard must be rules, sandbox or off, not ${word}.`,
    "Give one of them.",
  );
}
