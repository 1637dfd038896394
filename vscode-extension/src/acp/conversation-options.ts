import type { Command, Logger } from "@symposium-dev/core";
import type { SharedAgent } from "./agent-supervisor.js";
import type { FoldTarget } from "./fold/fold-target.js";
import type { AttachmentContent } from "./prompt-content.js";
import type { SessionObservers } from "./session-observers.js";
import type { SignIn } from "./sign-in.js";

/** What a conversation tells its tab. */
interface ConversationHooks {
  /** The session that the tab now has. */
  sessionChanged(sessionId: string): void;
  /** The agent's title for it; undefined takes it back. */
  titled(title: string | undefined): void;
  turnEnded(stopReason: string): void;
}

export interface ConversationOptions {
  readonly tabId: string;
  readonly agent: SharedAgent;
  readonly target: FoldTarget;
  /** Absolute paths of the workspace's folders, the one to work in first. */
  readonly folders: readonly string[];
  /** The session that the tab had, to be taken up again. */
  readonly sessionId?: string;
  /** What waits in the queue is from an earlier window: it is not sent before the user sends something. */
  readonly isQueueHeld?: boolean;
  /** The command without arguments of a session, for sign-ins in a terminal. */
  readonly command: Command;
  readonly signIn: SignIn;
  readonly toBlocks: AttachmentContent;
  readonly observers: SessionObservers;
  readonly hooks: ConversationHooks;
  readonly logger: Logger;
  /** Asked where the agent takes one folder only and there are several; undefined keeps the first. */
  chooseFolder(folders: readonly string[]): Promise<string | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  /** How long an agent may take to stop before the user is told; default 10 s. */
  readonly stopTimeoutMs?: number;
}
