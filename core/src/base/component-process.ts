import type { ChannelHandlers, LineChannel } from "./line-channel.js";
import type { Command } from "./command.js";

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
