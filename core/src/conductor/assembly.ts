import { hasCapability } from "./capability.js";
import type { ProxyComponent } from "./component.js";
import type { Proxy } from "./proxy.js";

/** Provides a capability in place of an editor that lacks it. */
export interface Adapter {
  /** Dotted path below `clientCapabilities`, such as `_meta.symposium.ideOperations`. */
  readonly provides: string;
  /** Makes the proxy that stands in; it announces the capability itself, in the `initialize` it passes on. */
  make(): Proxy;
}

/**
 * The chain for one editor: the wanted proxies in their order, each preceded by an adapter for every
 * capability it needs that neither the editor has nor an earlier adapter provides. Without a fitting adapter the
 * proxy joins all the same and learns from `initialize` what it lacks.
 */
export function assembleProxies(
  wanted: readonly ProxyComponent[],
  adapters: readonly Adapter[],
  clientCapabilities: unknown,
): ProxyComponent[] {
  const provided = new Set<string>();
  return wanted.flatMap((component): ProxyComponent[] => {
    const needs = component.kind === "proxy" ? (component.proxy.needs ?? []) : [];
    const joining: Adapter[] = [];
    for (const path of needs) {
      if (provided.has(path) || hasCapability(clientCapabilities, path)) continue;
      const adapter = adapters.find(({ provides }) => provides === path);
      if (!adapter) continue;
      provided.add(path);
      joining.push(adapter);
    }
    return [...joining.map((adapter) => ({ kind: "proxy" as const, proxy: adapter.make() })), component];
  });
}
