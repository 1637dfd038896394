import { nameOf } from "../conductor/component.js";
import { endOnSignals } from "../node/end-on-signals.js";
import { defaultSettings } from "../settings/settings-table.js";
import { commonOptions, parseCommandLine } from "./command-line.js";
import { proxiesOfConfig, proxiesOfTexts, readAgentText, toAgent } from "./components.js";
import { builtInNames, readSoundConfig } from "./configuration.js";
import { type Environment, openEnvironment } from "./environment.js";
import { type ChainPlan, openChain } from "./open-chain.js";
import { productVersion } from "./product-version.js";
import { TerminalChat } from "./terminal-chat/terminal-chat.js";

const options = {
  ...commonOptions,
  proxy: { type: "string", multiple: true },
  agent: { type: "string" },
  yes: { type: "boolean" },
  no: { type: "boolean" },
} as const;

/** `chat [PROMPT]`: talks to the configured agent, or to Eliza where none is configured, through the conductor. */
export async function chat(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommandLine("chat", words, options, true);
  const config = await readSoundConfig(values.agent === undefined ? "reject" : "go-on");
  const settings = config?.settings ?? defaultSettings;
  // The chat itself says what failed.
  const log = values.log ?? "off";
  const environment = await openEnvironment({ log, traceDir: values["trace-dir"], settings });
  const component = values.agent === undefined ? config?.agent : readAgentText(values.agent);
  const entries = config?.proxies ?? builtInNames.map((name) => ({ name, enabled: true }));
  const plan: ChainPlan = {
    proxies: values.proxy
      ? await proxiesOfTexts(values.proxy, environment)
      : await proxiesOfConfig(entries, environment),
    agent: await toAgent(component ?? { kind: "name", name: "eliza" }, environment),
    signInWords: values.agent === undefined ? [] : ["--agent", values.agent],
  };
  const permission = values.yes === true ? "allow" : values.no === true ? "reject" : undefined;
  const prompt = positionals.length === 0 ? undefined : positionals.join(" ");
  return talk(plan, environment, prompt, permission);
}

async function talk(
  plan: ChainPlan,
  environment: Environment,
  prompt: string | undefined,
  permission: "allow" | "reject" | undefined,
): Promise<number> {
  const stop = new AbortController();
  const terminal = new TerminalChat({
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    cwd: process.cwd(),
    version: productVersion,
    logger: environment.logger.child("chat"),
    extensions: plan.proxies.map(nameOf),
    agentCommand: "symposium-acp-agent",
    ...(permission && { permission }),
    stop: stop.signal,
  });
  const conductor = openChain(plan, environment, terminal.client, {
    onFailure: (failure) => stop.abort(failure.message),
  });
  const end = async (): Promise<void> => {
    await conductor[Symbol.asyncDispose]();
    await environment[Symbol.asyncDispose]();
  };
  // Ctrl-C is the chat's own; the other signals end everything.
  using _signals = endOnSignals({ end, hurry: () => environment.hurry(), signals: ["SIGTERM", "SIGHUP"] });
  const exitCode = await terminal.run(conductor.fromClient, prompt);
  await end();
  return exitCode;
}
