import type { Json } from "../../base/rpc/json.js";
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
  /** Id of the agent message whose turn is the last one that the copy contains. */
  readonly copyUntil?: string;
}

/** Records a session's events in order. Methods never throw or wait for a disk. Texts are JSON as sent. */
export interface SessionLog {
  /**
   * Called when the agent starts to replay earlier history in its updates, which lasts until {@link replayed}. The history is stored only
   * if none is stored for the session yet.
   */
  replays(): void;
  /** Called when the replay has ended. `isKept` is false if opening the session failed. */
  replayed(isKept: boolean): void;
  /** Records a `session/update` with the parameters `params`. `byUser` is true if the client sent the message instead of the agent. */
  update(params: string, byUser?: true): void;
  child(params: string): void;
  /** Records a prompt; `blocks` is its list of content blocks, `params` are all parameters of the request. */
  prompt(blocks: string, params?: Json): void;
  /**
   * Records a `session/request_permission` with the parameters `params`; `answer` is the result or error, `askedAt` the time of the request
   * in milliseconds since 1970.
   */
  permission(params: string, answer: string, askedAt?: number): void;
  /** `answer` is the prompt's result or error; `agent` is the agent that answered. */
  end(answer: string, agent: string): void;
  /** Ends the record because the editor closed the session or disconnected. */
  close(): void;
}

export interface DeletedSession {
  readonly id: string;
  /** Name of the session's agent, since other agents may use the same id. */
  readonly agent: string;
  /** Working folder of the session; undefined if this process hasn't opened the session. */
  readonly cwd?: string | undefined;
}

export interface SessionLogs {
  open(opening: SessionOpening): SessionLog;
  forget(session: DeletedSession): void;
}

/** Combines two logs; `first` receives each event first. */
export function together(first: SessionLogs, second: SessionLogs): SessionLogs {
  const both = (logs: readonly SessionLog[]): SessionLog => {
    const each = (tell: (log: SessionLog) => void): void => {
      for (const log of logs) tell(log);
    };
    return {
      replays: () => each((log) => log.replays()),
      replayed: (isKept) => each((log) => log.replayed(isKept)),
      update: (params, byUser) => each((log) => log.update(params, byUser)),
      child: (params) => each((log) => log.child(params)),
      prompt: (blocks, params) => each((log) => log.prompt(blocks, params)),
      permission: (params, answer, askedAt) => each((log) => log.permission(params, answer, askedAt)),
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
