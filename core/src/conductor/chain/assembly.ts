import { hasCapability } from "../../base/acp/capabilities.js";
import type { ProxyComponent } from "./component.js";
import type { Adapter } from "./proxy.js";

/**
 * The chain for one editor: the wanted proxies in their order, each preceded by an adapter (its own, or else one of
 * `adapters`) for every capability it needs that neither the editor has nor an earlier adapter provides. Without a
 * fitting adapter the proxy joins all the same and learns from `initialize` what it lacks.
 */
export function assembleProxies(
  wanted: readonly ProxyComponent[],
  adapters: readonly Adapter[],
  clientCapabilities: unknown,
): ProxyComponent[] {
  const provided = new Set<string>();
  return wanted.flatMap((component): ProxyComponent[] => {
    const { needs = [], adapters: own = [] } = component.kind === "proxy" ? component.proxy : {};
    const joining: Adapter[] = [];
    for (const path of needs) {
      if (provided.has(path) || hasCapability(clientCapabilities, path)) continue;
      const adapter = [...own, ...adapters].find(({ provides }) => provides === path);
      if (!adapter) continue;
      provided.add(path);
      joining.push(adapter);
    }
    return [...joining.map((adapter) => ({ kind: "proxy" as const, proxy: adapter.make() })), component];
  });
}
