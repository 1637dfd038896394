import type { LineHandlers } from "./line-splitter.js";

/** Lines both ways with flow control. Lines carry no newline. */
export interface LineChannel {
  /** Queues one line; never blocks. Lines of one tick leave in one write. */
  send(line: string): void;
  /** True while more is queued than the reader has taken (above the high-water mark). */
  readonly isCongested: boolean;
  /** `listener` is called on each change of {@link isCongested}. */
  onCongestion(listener: () => void): void;
  /** Stops taking input. A bounded rest is still delivered. */
  pause(): void;
  resume(): void;
}

/** What a channel delivers. */
export interface ChannelHandlers extends LineHandlers {
  /** The input ended; no further lines. Called once. */
  end(): void;
}
