import type { Peer } from "../../base/rpc/peer.js";
import type { Command } from "../../base/command.js";
import type { Proxy } from "./proxy.js";

/**
 * Agent that runs in this process, at the end of a chain. Implementations must answer every request, send updates through `client`, and
 * accept ACP v1 messages.
 */
export interface Agent {
  readonly name: string;
  /** Joins a chain; called once for each chain. `client` is the peer toward the editor. */
  connect(client: Peer): ConnectedAgent;
}

export interface ConnectedAgent extends Partial<AsyncDisposable> {
  readonly fromClient: Peer;
}

export interface ProcessComponent {
  readonly kind: "process";
  /** The component's name, unique in a chain. Appears in traces and errors. */
  readonly name: string;
  readonly command: Command;
  /** Options passed to a proxy as `_meta.symposium.options` in `initialize`. */
  readonly options?: Readonly<Record<string, unknown>>;
}

export type ProxyComponent = ProcessComponent | { readonly kind: "proxy"; readonly proxy: Proxy };

export type AgentComponent = ProcessComponent | { readonly kind: "agent"; readonly agent: Agent };

export function nameOf(component: ProxyComponent | AgentComponent): string {
  switch (component.kind) {
    case "process":
      return component.name;
    case "proxy":
      return component.proxy.name;
    case "agent":
      return component.agent.name;
  }
}
