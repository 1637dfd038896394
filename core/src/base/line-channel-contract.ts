import type { LineHandlers } from "./line-splitter.js";

/** Bidirectional line channel with flow control. Lines contain no line break. */
export interface LineChannel {
  /** Queues one line without blocking. Lines of the same tick are written at once. */
  send(line: string): void;
  /** Whether the queue exceeds the high-water mark. */
  readonly isCongested: boolean;
  onCongestion(listener: () => void): void;
  /** Stops reading. A bounded number of buffered lines is still delivered. */
  pause(): void;
  resume(): void;
}

export interface ChannelHandlers extends LineHandlers {
  end(): void;
}
