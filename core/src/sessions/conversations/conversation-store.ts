export interface KeptConversation {
  /** Id in the store. */
  readonly id: string;
  /** The editor's session id. */
  readonly session: string;
  readonly cwd: string;
  readonly title: string;
  /** Name of the agent that the conversation used last. */
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
}

export interface WholeConversation extends KeptConversation {
  /** Yields the stored lines in pieces, to limit memory. */
  windows(): Iterable<string>;
}

export interface ConversationStore {
  /** Returns whether the user's settings allow storing conversations. If not, stored conversations aren't shown either. */
  keeps(): Promise<boolean>;
  /** Lists conversations, most recently used first. */
  list(): Promise<readonly KeptConversation[]>;
  /**
   * Returns the conversation of a session with `agent`; undefined if it isn't stored. If several folders have a session with this id,
   * returns the one in `cwd`, or else the most recently used one.
   */
  find(session: string, agent: string, cwd?: string): Promise<WholeConversation | undefined>;
  /** Returns sessions to omit from lists, although `agent` may still list them. */
  hidden(agent: string): Promise<ReadonlySet<string>>;
  /** Hides a session from lists: the user deleted it, or it replaces the visible session `standsFor`, which its agent had lost. */
  hide(agent: string, session: string, standsFor?: string): Promise<void>;
  /** Returns the id of the session in which `agent` continued a lost session; undefined if there is none. */
  standIn(agent: string, session: string): Promise<string | undefined>;
}
