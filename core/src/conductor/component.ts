import type { Agent } from "./agent.js";
import type { Command } from "./component-process.js";
import type { Proxy } from "./proxy.js";

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
