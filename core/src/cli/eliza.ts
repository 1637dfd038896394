import type { Agent } from "../conductor/component.js";
import { defaultSettings } from "../settings/settings-table.js";
import { type Environment, openEnvironment } from "./environment.js";
import { openChain } from "./open-chain.js";
import { commonOptions } from "./options.js";
import { productVersion } from "./product-version.js";
import { serveChain } from "./serve-chain.js";
import { subcommand } from "./subcommand.js";

/** `eliza [--deterministic]`: the embedded agent alone, as any editor can run it. */
export const eliza = subcommand({
  name: "eliza",
  about: "The embedded agent that needs no model, alone, over stdio.",
  options: { deterministic: { about: "the same answer to the same words" }, ...commonOptions },
  async run({ values }) {
    const environment = await openEnvironment({
      log: values.log,
      traceDir: values["trace-dir"],
      trustedFolders: values["trusted-folder"],
      settings: defaultSettings,
    });
    const agent = await makeEliza(values.deterministic === true, environment);
    const plan = { proxies: [], agent: { kind: "agent", agent } } as const;
    return serveChain(environment, (client, hooks) => openChain(plan, environment, client, hooks));
  },
});

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
