/** An item that sessions could get as context, and its treatment for one agent. */
export interface ContextItem {
  readonly kind: "rule" | "skill" | "command" | "memory";
  /** Title for users: a path relative to the session's folder, a path with `~`, or a name. */
  readonly title: string;
  /** Absolute path of the file. */
  readonly origin: string;
  /** UTF-8 bytes that are sent automatically, or the full size if the item isn't sent. */
  readonly bytes: number;
  readonly isSent: boolean;
  /** Phrase that says when the item is sent, or why not. */
  readonly reason: string;
}
