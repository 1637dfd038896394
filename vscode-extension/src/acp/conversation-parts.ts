import type { Command, InitializedAgent, Logger, Members } from "@symposium-dev/core";
import type { Attachment, BranchPoint } from "../../protocol/index.js";
import type { ConfiguredAgent } from "./running-agent.js";
import type { FoldTarget } from "./fold-target.js";
import type { SessionObservers } from "./session-observers.js";

/** Turns what the user attached to a prompt into ACP content blocks that the agent takes; read when it is sent. */
export type AttachmentContent = (
  attachments: readonly Attachment[],
  accepts: InitializedAgent["accepts"],
) => Promise<readonly Members[]>;

/** The content of a prompt: its text, then what is attached. */
export async function promptContent(
  text: string,
  attachments: readonly Attachment[],
  accepts: InitializedAgent["accepts"],
  toBlocks: AttachmentContent,
): Promise<Members[]> {
  const blocks = attachments.length === 0 ? [] : await toBlocks(attachments, accepts);
  return [...(text === "" ? [] : [{ type: "text", text }]), ...blocks];
}

/** An agent has refused a session or a prompt until the user signs in. */
export interface SignInRequest extends FoldTarget {
  readonly tabId: string;
  readonly agent: { readonly id: string; readonly name: string };
  /** What the agent said. */
  readonly reason: string;
  /** `authMethods` of `initialize`, as they came. */
  readonly methods: readonly Members[];
  /** The agent's command without arguments of a session: a terminal method adds its own `args` and `env`. */
  readonly command: Command;
  /** Sends `authenticate`; rejects when the agent refuses. */
  authenticate(methodId: string): Promise<void>;
  /** Fires when the tab is closed or the agent is gone. */
  readonly signal: AbortSignal;
}

/** Lets the user sign in. */
export interface SignIn {
  /** Resolves with true when the user has signed in, so that the refused request is worth one more try. */
  signIn(request: SignInRequest): Promise<boolean>;
}

/** What a conversation tells its tab. */
interface ConversationHooks {
  /**
   * The session that the tab now has. `isKept`: all that was said in the tab is kept as that session's. `knowsAll`: its agent
   * need not be told what the tab goes on with.
   */
  sessionChanged(sessionId: string, isKept: boolean, knowsAll: boolean): void;
  /** The agent has been told what the tab goes on with. */
  told(): void;
  /** The agent's title for it; undefined takes it back. */
  titled(title: string | undefined): void;
  turnEnded(stopReason: string): void;
}

export interface ConversationParts {
  readonly tabId: string;
  readonly agent: ConfiguredAgent;
  readonly target: FoldTarget;
  /** Absolute paths of the workspace's folders, the one to work in first. */
  readonly folders: readonly string[];
  /** The session that the tab had, to be taken up again. */
  readonly sessionId?: string;
  /** The tab goes on with another one's conversation, and has no session that knows it yet. */
  readonly branch?: BranchPoint;
  /** What an agent is told of that conversation, where it has no session for it. */
  readonly handOff?: (cwd: string) => readonly Members[];
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
  /** How long an agent may be silent after something was said into its turn; default 60 s. */
  readonly quietMs?: number;
  /** How long after the end of a turn an agent may take to answer what was said into it; default 2 s. */
  readonly lateAnswerMs?: number;
}
