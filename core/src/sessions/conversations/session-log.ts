import type { Continued } from "./continued-session.js";

export interface SessionOpening {
  /** The editor's session id. */
  readonly id: string;
  readonly cwd: string;
  readonly agent: string;
  readonly client?: string;
  readonly continues?: Continued;
  /** Whether the session was open before, in any process, so that a file may exist. */
  readonly hasHistory: boolean;
  /** The editor's id of the copied session. */
  readonly copyOf?: string;
  /** Id of an agent message; the copy ends with its turn. */
  readonly copyUntil?: string;
}

/** Records a session's events in order. Methods never throw or wait for a disk. Texts are JSON as sent. */
export interface SessionLog {
  /**
   * Starts a replay of earlier history in the agent's updates, until {@link replayed}. Stored only if the session has no stored history.
   */
  replays(): void;
  /** `isKept` is false if opening the session failed. */
  replayed(isKept: boolean): void;
  /** `params` are of a `session/update`; `byUser`: sent by the client instead of the agent. */
  update(params: string, byUser?: true): void;
  child(params: string): void;
  /** `blocks` is the list of content blocks. */
  prompt(blocks: string): void;
  /** `params` are of a `session/request_permission`; `answer` is its result or error. */
  permission(params: string, answer: string): void;
  /** `answer` is the prompt's result or error; `agent` is the agent that answered. */
  end(answer: string, agent: string): void;
  /** Ends the record because the editor closed the session or disconnected. */
  close(): void;
}

export interface DeletedSession {
  readonly id: string;
  /** Name of the session's agent, since other agents may use the same id. */
  readonly agent: string;
  /** Undefined if the session wasn't open here. */
  readonly cwd?: string | undefined;
}

export interface SessionLogs {
  open(opening: SessionOpening): SessionLog;
  forget(session: DeletedSession): void;
}

/** Combines two logs; `first` receives each event first. */
export function together(first: SessionLogs, second: SessionLogs): SessionLogs {
  const both = (logs: readonly SessionLog[]): SessionLog => {
    const each = (tell: (log: SessionLog) => void): void => logs.forEach(tell);
    return {
      replays: () => each((log) => log.replays()),
      replayed: (isKept) => each((log) => log.replayed(isKept)),
      update: (params, byUser) => each((log) => log.update(params, byUser)),
      child: (params) => each((log) => log.child(params)),
      prompt: (blocks) => each((log) => log.prompt(blocks)),
      permission: (params, answer) => each((log) => log.permission(params, answer)),
      end: (answer, agent) => each((log) => log.end(answer, agent)),
      close: () => each((log) => log.close()),
    };
  };
  return {
    open: (opening) => both([first.open(opening), second.open(opening)]),
    forget: (session) => {
      first.forget(session);
      second.forget(session);
    },
  };
}
