/** One thing that sessions could get, and what becomes of it for one agent. */
export interface ContextItem {
  readonly kind: "rule" | "skill" | "command" | "memory";
  /** For people: a path from the session's folder, or with `~` from the user's, or a name. */
  readonly title: string;
  /** The file, absolute. */
  readonly origin: string;
  /** What is sent unasked, in bytes of UTF-8; of what is not sent, its whole size. */
  readonly bytes: number;
  /** Whether the agent gets anything of it by us. */
  readonly isSent: boolean;
  /** When it is sent, or why it is not, as a phrase. */
  readonly reason: string;
}
