import type { SetupReason } from "../agents/setup/setup-agent-needs.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { ConfigState } from "../settings/node/config-file.js";
import type { Component } from "../settings/component-spec.js";
import { JsonDocument } from "../settings/json-document.js";
import { proxiesOfConfig, toAgent } from "./components.js";
import type { Environment } from "./environment.js";
import type { ChainPlan } from "./serve-chain.js";
import { allInstalled } from "../agents/install/all-installed.js";
import { mergedProxies, type ProjectChain } from "../settings/project/project-settings.js";
import { defaultExtensions, optInExtensions } from "../extensions/extension-names.js";

type ConfiguredPlan = ConfiguredChain | { readonly kind: "reason"; readonly reason: SetupReason };

interface ConfiguredChain {
  readonly kind: "plan";
  readonly plan: ChainPlan;
  readonly state: Extract<ConfigState, { state: "ok" }>;
  readonly agent: Component;
}

const absent: ConfiguredPlan = { kind: "reason", reason: { kind: "absent" } };

/**
 * Builds the chain of a configuration. Reports an unknown component as an error at its name in the file, so that the editor's session can
 * show it.
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

/**
 * Applies the approved chain settings of the current folder's project: its agent replaces the user's, and its proxies follow the user's.
 * Leaves an absent or broken configuration unmodified.
 */
export async function withProjectChain(state: ConfigState, environment: Environment): Promise<ConfigState> {
  if (state.state !== "ok") return state;
  const chain = await (await environment.projects.files()).chain(process.cwd());
  const { config } = state;
  const project = { ...chain, proxies: await knownProxies(chain.proxies, environment) };
  const agent = project.agent ?? config.agent;
  for (const { name, required } of config.proxies) {
    if (!project.disabledProxies.includes(name)) continue;
    if (required) environment.logger.warn("the project cannot switch off a required proxy", { name });
    else environment.logger.info("the project switches off a proxy, as you allowed", { name });
  }
  return { ...state, config: { ...config, ...(agent && { agent }), proxies: mergedProxies(config.proxies, project) } };
}

/** Skips proxies given only by a name that is neither built-in nor installed, with a warning. */
async function knownProxies(
  proxies: ProjectChain["proxies"],
  { logger }: Environment,
): Promise<ProjectChain["proxies"]> {
  if (proxies.length === 0) return proxies;
  const installed = (await allInstalled("extension")).map(({ id }) => id);
  const names = new Set([...defaultExtensions, ...optInExtensions, ...installed]);
  return proxies.filter(({ name, distribution }) => {
    const isKnown = distribution !== undefined || names.has(name);
    if (!isKnown) logger.warn("skipped a project's proxy that is neither built in nor installed", { name });
    return isKnown;
  });
}
