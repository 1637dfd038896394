import type { SetupReason } from "../agents/setup/setup-options.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { ConfigState } from "../node/config-file.js";
import type { Component } from "../settings/component-spec.js";
import { JsonDocument } from "../settings/json-document.js";
import { proxiesOfConfig, toAgent } from "./components.js";
import type { Environment } from "./environment.js";
import type { ChainPlan } from "./serve-chain.js";

/** What a configuration comes to: a chain that can be opened, or the reason why the user has to be asked. */
type ConfiguredPlan = ConfiguredChain | { readonly kind: "reason"; readonly reason: SetupReason };

/** A chain that can be opened, and the configuration that it is of. */
interface ConfiguredChain {
  readonly kind: "plan";
  readonly plan: ChainPlan;
  readonly state: Extract<ConfigState, { state: "ok" }>;
  readonly agent: Component;
}

const absent: ConfiguredPlan = { kind: "reason", reason: { kind: "absent" } };

/**
 * The chain that the configuration describes. A component that is not known on this machine counts as a mistake in
 * the file, at the place of its name, so that the editor's session can say it.
 */
export async function configuredPlan(state: ConfigState, environment: Environment): Promise<ConfiguredPlan> {
  if (state.state === "broken") return { kind: "reason", reason: { ...state, kind: "broken" } };
  if (state.state === "absent") return absent;
  const { file, text, config } = state;
  const { proxies: entries, agent: component } = config;
  if (!component) return absent;
  let key = "agent";
  try {
    const agent = await toAgent(component, environment);
    key = "proxies";
    const proxies = await proxiesOfConfig(entries, environment);
    return { kind: "plan", plan: { proxies, agent, signInWords: [] }, state, agent: component };
  } catch (fault) {
    if (!(fault instanceof SymposiumError)) throw fault;
    const { message, hint } = fault;
    const problem = { severity: "error", path: [key], message, ...(hint !== undefined && { hint }) } as const;
    const located = JsonDocument.parse(text).locate(problem);
    return { kind: "reason", reason: { kind: "broken", file, problems: [located] } };
  }
}
