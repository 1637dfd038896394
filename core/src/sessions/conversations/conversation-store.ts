/** A conversation that was kept, as `session/list` shows it. */
export interface KeptConversation {
  /** Its own, in what is kept. */
  readonly id: string;
  /** What the editor called it. */
  readonly session: string;
  readonly cwd: string;
  readonly title: string;
  /** The name of the agent that it was with last. */
  readonly agent: string;
  /** Milliseconds since 1970. */
  readonly updated: number;
}

/** The same with all that was said in it. */
export interface WholeConversation extends KeptConversation {
  /** Lines as they were written, in pieces, so that none is in memory as a whole. */
  windows(): Iterable<string>;
}

/** What is kept, for those who read it. */
export interface ConversationStore {
  /** Whether its user wants conversations to be kept; what is there is not shown while not. */
  keeps(): Promise<boolean>;
  /** The one that was used last first. */
  list(): Promise<readonly KeptConversation[]>;
  /**
   * What was said until now in a session with `agent`; undefined where nothing is kept of it. Where sessions of several
   * folders have this id, that of `cwd` is meant, else the one that was used last.
   */
  find(session: string, agent: string, cwd?: string): Promise<WholeConversation | undefined>;
  /** The sessions of `agent` that it may still list by itself, and lists are not to show. */
  hidden(agent: string): Promise<ReadonlySet<string>>;
  /** From now on lists do not show this session: it was deleted here, or `standsFor` one that is shown, which its agent had lost. */
  hide(agent: string, session: string, standsFor?: string): Promise<void>;
  /** The session in which `agent` has gone on with one that it had lost. */
  standIn(agent: string, session: string): Promise<string | undefined>;
}
