import { asObject } from "../base/rpc/json.js";
import type { AgentDefinition } from "./agent-definition.js";
import { settingAt, withItem, withSetting } from "./settings-edit.js";

export type AgentValue = string | AgentDefinition | Readonly<Record<string, unknown>>;

/** Returns the text of a new config.jsonc with `agent` and all of `proxyNames` enabled. */
export function newConfigText(agent: AgentValue, proxyNames: readonly string[]): string {
  const proxies = proxyNames.map((name) => `\n    { "name": ${JSON.stringify(name)}, "enabled": true }`);
  return [
    "{",
    "  // The agent: a command line, the name of a known agent, or an object that says how to start it.",
    `  "agent": ${JSON.stringify(agent, null, 2).replaceAll("\n", "\n  ")},`,
    "",
    "  // The proxies between editor and agent; the first is nearest to the editor.",
    `  "proxies": ${proxies.length === 0 ? "[]" : `[${proxies.join(",")}\n  ]`}`,
    "}",
    "",
  ].join("\n");
}

/** Replaces the agent in the text of `file`. Preserves the rest and throws like {@link withSetting}. */
export function withAgent(text: string, agent: AgentValue, file: string): string {
  return withSetting(text, ["agent"], agent, file);
}

/**
 * Enables or disables a proxy in the text of `file`; a proxy that isn't listed is added at the end. If `proxies` is missing, adds it with
 * `builtInProxies`. Preserves the rest and throws like {@link withSetting}.
 */
export function withProxy(
  text: string,
  name: string,
  { enabled }: { readonly enabled: boolean },
  builtInProxies: readonly string[],
  file: string,
): string {
  const proxies = settingAt(text, ["proxies"], file);
  const index = Array.isArray(proxies) ? proxies.findIndex((entry) => asObject(entry)?.["name"] === name) : -1;
  if (index !== -1) return withSetting(text, ["proxies", index, "enabled"], enabled, file);
  const names = proxies !== undefined ? [name] : [...new Set([...builtInProxies, name])];
  const add = (all: string, one: string): string =>
    withItem(all, ["proxies"], { name: one, enabled: one === name ? enabled : true }, file, "line");
  return names.reduce(add, text);
}
