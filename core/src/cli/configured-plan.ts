import type { SetupReason } from "../agents/setup/setup-options.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { ConfigState } from "../node/config-file.js";
import { JsonDocument } from "../settings/json-document.js";
import { proxiesOfConfig, toAgent } from "./components.js";
import type { Environment } from "./environment.js";
import type { ChainPlan } from "./open-chain.js";

/** What a configuration comes to: a chain that can be opened, or the reason why the user has to be asked. */
export type ConfiguredPlan =
  { readonly kind: "plan"; readonly plan: ChainPlan } | { readonly kind: "reason"; readonly reason: SetupReason };

/**
 * The chain that the configuration describes. A component that is not known on this machine counts as a mistake in
 * the file, at the place of its name, so that the editor's session can say it.
 */
export async function configuredPlan(state: ConfigState, environment: Environment): Promise<ConfiguredPlan> {
  if (state.state === "broken") return { kind: "reason", reason: { ...state, kind: "broken" } };
  if (state.state === "absent" || !state.config.agent) return { kind: "reason", reason: { kind: "absent" } };
  const { config, file, text } = state;
  let key = "agent";
  try {
    const agent = await toAgent(state.config.agent, environment);
    key = "proxies";
    const proxies = await proxiesOfConfig(config.proxies, environment);
    return { kind: "plan", plan: { proxies, agent, signInWords: [] } };
  } catch (fault) {
    if (!(fault instanceof SymposiumError)) throw fault;
    const { message, hint } = fault;
    const problem = { severity: "error", path: [key], message, ...(hint !== undefined && { hint }) } as const;
    const located = JsonDocument.parse(text).locate(problem);
    return { kind: "reason", reason: { kind: "broken", file, problems: [located] } };
  }
}
