import type { ChannelHandlers, LineChannel } from "../base/line-channel.js";
import type { Peer } from "../rpc/peer.js";
import type { Command } from "../settings/command.js";
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

export type { Command };

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines it wrote to stderr, credentials redacted; empty when it wrote none. */
  readonly stderrTail: string;
  /** Why it never started, for example `ENOENT`; absent when it did. */
  readonly startError?: string;
  /** Why we ended it in the middle of its work, and what to do, as sentences for its user. */
  readonly endReason?: string;
}

export interface ProcessHandlers extends ChannelHandlers {
  /** It has not taken any input for `ms` milliseconds although input waits and its own output is being read. */
  stalled(ms: number): void;
}

/** A component's process with its stdio as a channel. Disposing ends it, and resolves with it gone. */
export interface ComponentProcess extends LineChannel, AsyncDisposable {
  readonly pid: number | undefined;
  /** Resolves, and never rejects, when the process is gone or could not start. */
  readonly exited: Promise<ProcessExit>;
}

/** Starts a component. Never throws: a failure to start is an exit with a `startError`. `name` is for logs. */
export type StartProcess = (name: string, command: Command, handlers: ProcessHandlers) => ComponentProcess;

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
