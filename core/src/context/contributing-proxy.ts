import type { ProxyComponent } from "../conductor/chain/component.js";
import type { Proxy } from "../conductor/chain/proxy.js";
import type { ContextSource } from "./contribution.js";

/**
 * A proxy that contributes to the context of sessions. The context proxy inserts the contributed prompt texts and slash commands, so the
 * contributing proxy can be anywhere in the chain.
 */
export interface ContributingProxy extends Proxy {
  readonly contextSource: ContextSource;
}

export function contextSourcesOf(proxies: readonly ProxyComponent[]): readonly ContextSource[] {
  return proxies.flatMap((component) =>
    component.kind === "proxy" && isContributing(component.proxy) ? [component.proxy.contextSource] : [],
  );
}

function isContributing(proxy: Proxy): proxy is ContributingProxy {
  return "contextSource" in proxy;
}
