import type { Agent } from "../conductor/agent.js";
import { defaultSettings } from "../settings/settings-table.js";
import { commonOptions, parseCommandLine } from "./command-line.js";
import { type Environment, openEnvironment } from "./environment.js";
import { openChain } from "./open-chain.js";
import { productVersion } from "./product-version.js";
import { serveChain } from "./serve-chain.js";

/** `eliza [--deterministic]`: the embedded agent alone, as any editor can run it. */
export async function eliza(words: readonly string[]): Promise<number> {
  const { values } = parseCommandLine("eliza", words, { ...commonOptions, deterministic: { type: "boolean" } });
  const environment = await openEnvironment({
    log: values.log,
    traceDir: values["trace-dir"],
    settings: defaultSettings,
  });
  const agent = await makeEliza(values.deterministic === true, environment);
  const plan = { proxies: [], agent: { kind: "agent", agent } } as const;
  return serveChain(environment, (client, hooks) => openChain(plan, environment, client, hooks));
}

/** Loaded only where she is wanted. */
export async function makeEliza(isDeterministic: boolean, environment: Environment): Promise<Agent> {
  const { ElizaAgent } = await import("../agents/eliza/eliza-agent.js");
  const { McpClient } = await import("../node/mcp-client.js");
  const client = new McpClient({
    clientInfo: { name: "eliza", version: productVersion },
    startProcess: environment.chain.startProcess,
  });
  return new ElizaAgent({
    version: productVersion,
    isDeterministic,
    connectMcp: client.connect,
    yieldNow: () => new Promise((resolve) => setImmediate(resolve)),
  });
}
