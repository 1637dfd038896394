import { hasCapability } from "../../base/acp/capabilities.js";
import type { ProxyComponent } from "./component.js";
import type { Adapter } from "./proxy.js";

/**
 * Builds the proxies for one editor, in the given order. Before each proxy, adds an adapter (the proxy's own, otherwise from `adapters`)
 * for each needed capability that neither the editor nor an earlier adapter provides. Without an adapter, the proxy still joins and learns
 * from `initialize` that the capability is missing.
 */
export function insertAdapters(
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
