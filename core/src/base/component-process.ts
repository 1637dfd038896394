import type { ChannelHandlers, LineChannel } from "./line-channel-contract.js";
import type { Command } from "./command.js";

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Last lines of stderr with credentials redacted. */
  readonly stderrTail: string;
  /** Error that prevented the start, for example `ENOENT`; absent if the process started. */
  readonly startError?: string;
  /** Reason why Symposium ended the running process, with advice, as sentences for the user. */
  readonly endReason?: string;
}

export interface ProcessHandlers extends ChannelHandlers {
  /** Called if the process has accepted no input for `ms` milliseconds while input is pending and its output is being read. */
  stalled(ms: number): void;
}

/** Component process with its stdio as a channel. Disposing ends the process and resolves after its exit. */
export interface ComponentProcess extends LineChannel, AsyncDisposable {
  readonly pid: number | undefined;
  /** Resolves when the process has exited or failed to start; never rejects. */
  readonly exited: Promise<ProcessExit>;
}

/** Starts a component. Never throws: a failed start is an exit with `startError`. `name` is used in logs. */
export type StartProcess = (name: string, command: Command, handlers: ProcessHandlers) => ComponentProcess;
