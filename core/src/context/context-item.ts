/** An item that could be added to a session's context, and how Symposium treats the item for one agent. */
export interface ContextItem {
  readonly kind: "rule" | "skill" | "command" | "memory";
  /** Title for users: a path relative to the session's folder, a path with `~`, or a name. */
  readonly title: string;
  /** Absolute path of the file. */
  readonly origin: string;
  /** Number of UTF-8 bytes that are sent automatically, or the item's full size if it isn't sent. */
  readonly bytes: number;
  readonly isSent: boolean;
  /** Phrase that says when the item is sent, or why not. */
  readonly reason: string;
}
