export interface KeptConversation {
  /** Id in the store. */
  readonly id: string;
  /** The editor's session id. */
  readonly session: string;
  readonly cwd: string;
  readonly title: string;
  /** Name of the last agent. */
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
}

export interface WholeConversation extends KeptConversation {
  /** Yields the stored lines in pieces, to limit memory. */
  windows(): Iterable<string>;
}

export interface ConversationStore {
  /** Whether the user wants conversations stored; if not, existing ones aren't shown. */
  keeps(): Promise<boolean>;
  /** Lists conversations, most recently used first. */
  list(): Promise<readonly KeptConversation[]>;
  /**
   * Returns the conversation of a session with `agent`; undefined if not stored. If several folders have the session id, returns the one
   * for `cwd`, else the most recently used.
   */
  find(session: string, agent: string, cwd?: string): Promise<WholeConversation | undefined>;
  /** Returns sessions to omit from lists, although `agent` may still list them. */
  hidden(agent: string): Promise<ReadonlySet<string>>;
  /** Hides a session from lists: the user deleted it, or it replaces the visible session `standsFor`, which its agent had lost. */
  hide(agent: string, session: string, standsFor?: string): Promise<void>;
  /** Returns the session in which `agent` continued a lost one. */
  standIn(agent: string, session: string): Promise<string | undefined>;
}
