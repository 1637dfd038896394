import type { ProxyComponent } from "../conductor/chain/component.js";
import type { Proxy } from "../conductor/chain/proxy.js";
import type { ContextSource } from "./contribution.js";

/**
 * A proxy that adds to the context of sessions. What is put into prompts, and slash commands of ours, are the context proxy's
 * to bring: it takes them from here, wherever in the chain this one stands.
 */
export interface ContributingProxy extends Proxy {
  readonly contextSource: ContextSource;
}

/** What the members of a chain add to the context of sessions, in their order. */
export function contextSourcesOf(proxies: readonly ProxyComponent[]): readonly ContextSource[] {
  return proxies.flatMap((component) =>
    component.kind === "proxy" && isContributing(component.proxy) ? [component.proxy.contextSource] : [],
  );
}

function isContributing(proxy: Proxy): proxy is ContributingProxy {
  return "contextSource" in proxy;
}
