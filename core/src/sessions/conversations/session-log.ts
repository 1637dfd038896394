import type { Continued } from "./continued-session.js";

/** A session as it is opened. */
export interface SessionOpening {
  /** What the editor calls it. */
  readonly id: string;
  readonly cwd: string;
  /** The name of the agent that it is with. */
  readonly agent: string;
  readonly client?: string;
  /** The conversation that it goes on with. */
  readonly continues?: Continued;
  /** It was opened before, here or elsewhere: there may be a file of it. */
  readonly hasHistory: boolean;
  /** What the editor calls the session of which it is a copy. */
  readonly copyOf?: string;
  /** The copy ends with the turn in which the agent has said the message of this id. */
  readonly copyUntil?: string;
}

/**
 * Takes what happens in a session, in its order. Nothing throws, and nothing waits for a disk. Texts are JSON as it was
 * sent.
 */
export interface SessionLog {
  /**
   * From here on the agent's updates show what was said before, until {@link replayed}. That is kept where nothing of the
   * session is kept yet.
   */
  replays(): void;
  /** `isKept` is false where the session could not be opened. */
  replayed(isKept: boolean): void;
  /** `params` of a `session/update`; `byUser`: the client sent it, not the agent. */
  update(params: string, byUser?: true): void;
  /** The same in the session of a sub-agent. */
  child(params: string): void;
  /** `blocks` is the list of content blocks. */
  prompt(blocks: string): void;
  /** `params` of a `session/request_permission`, and its result or error. */
  permission(params: string, answer: string): void;
  /** The result of a prompt, or its error, and the name of the agent that has answered. */
  end(answer: string, agent: string): void;
  /** The editor has closed it, or left. */
  close(): void;
}

/** A session that is deleted, as the editor calls it. */
export interface DeletedSession {
  readonly id: string;
  /** The name of the agent that it was with: others may use the same id. */
  readonly agent: string;
  /** Undefined where it was not open here. */
  readonly cwd?: string | undefined;
}

/** Where sessions are kept. */
export interface SessionLogs {
  open(opening: SessionOpening): SessionLog;
  /** The editor has deleted a session: nothing of it is kept. */
  forget(session: DeletedSession): void;
}

/** Both hear of everything, `first` first. */
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
