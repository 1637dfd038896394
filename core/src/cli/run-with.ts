import { defaultSettings } from "../settings/settings-table.js";
import { commonOptions, parseCommandLine } from "./command-line.js";
import { proxiesOfTexts, readAgentText, toAgent } from "./components.js";
import { openEnvironment } from "./environment.js";
import { openChain } from "./open-chain.js";
import { serveChain } from "./serve-chain.js";

/** `run-with --proxy X… [--agent X]`: an explicit chain; without an agent, a component of another conductor's chain. */
export async function runWith(words: readonly string[]): Promise<number> {
  const { values } = parseCommandLine("run-with", words, {
    ...commonOptions,
    proxy: { type: "string", multiple: true },
    agent: { type: "string" },
  });
  const component = values.agent === undefined ? undefined : readAgentText(values.agent);
  const environment = await openEnvironment({
    log: values.log,
    traceDir: values["trace-dir"],
    settings: defaultSettings,
  });
  const proxies = await proxiesOfTexts(values.proxy ?? [], environment);
  const agent = component && (await toAgent(component, environment));
  const signInWords = values.agent === undefined ? [] : ["--agent", values.agent];
  const plan = { proxies, ...(agent && { agent }), signInWords };
  return serveChain(environment, (client, hooks) => openChain(plan, environment, client, hooks));
}
