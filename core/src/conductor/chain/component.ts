import type { Peer } from "../../base/rpc/peer.js";
import type { Command } from "../../base/command.js";
import type { Proxy } from "./proxy.js";

/**
 * An agent that runs in this process: it ends a chain. Whoever writes one answers every request, sends
 * updates through `client`, and expects messages in ACP v1 shapes.
 */
export interface Agent {
  readonly name: string;
  /** Joins a chain; called once for each chain. `client` is the side toward the editor. */
  connect(client: Peer): ConnectedAgent;
}

export interface ConnectedAgent extends Partial<AsyncDisposable> {
  /** What the side toward the editor calls. */
  readonly fromClient: Peer;
}

/** A program that takes part in a chain. */
export interface ProcessComponent {
  readonly kind: "process";
  /** Unique in a chain; shown in traces and errors. */
  readonly name: string;
  readonly command: Command;
  /** What a proxy gets as `_meta.symposium.options` of its `initialize`. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A proxy of this process, or a program that is one. */
export type ProxyComponent = ProcessComponent | { readonly kind: "proxy"; readonly proxy: Proxy };

/** An agent of this process, or a program that is one. */
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
