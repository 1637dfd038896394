import type { Command, InitializedAgent, Logger, Members } from "@symposium-dev/core";
import type { Attachment, BranchPoint } from "../../protocol/index.js";
import type { ConfiguredAgent } from "./running-agent.js";
import type { FoldTarget } from "./fold-target.js";
import type { SessionObservers } from "./session-observers.js";

/** Converts attachments to ACP content blocks that the agent accepts; files are read when the prompt is sent. */
export type AttachmentContent = (
  attachments: readonly Attachment[],
  accepts: InitializedAgent["accepts"],
) => Promise<readonly Members[]>;

/** Returns the content of a prompt: its text, then the attachments. */
export async function promptContent(
  text: string,
  attachments: readonly Attachment[],
  accepts: InitializedAgent["accepts"],
  toBlocks: AttachmentContent,
): Promise<Members[]> {
  const blocks = attachments.length === 0 ? [] : await toBlocks(attachments, accepts);
  return [...(text === "" ? [] : [{ type: "text", text }]), ...blocks];
}

export interface SignInRequest extends FoldTarget {
  readonly tabId: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly reason: string;
  /** Unmodified `authMethods` of `initialize`. */
  readonly methods: readonly Members[];
  /** The agent's command without session arguments; a terminal method adds its own `args` and `env`. */
  readonly command: Command;
  /** Sends `authenticate`; rejects if the agent refuses. */
  authenticate(methodId: string): Promise<void>;
  /** Aborted when the tab closes or the agent exits. */
  readonly signal: AbortSignal;
}

export interface SignIn {
  /** Resolves with true after a sign-in, so that the caller retries the refused request. */
  signIn(request: SignInRequest): Promise<boolean>;
}

interface ConversationHooks {
  /**
   * Reports the tab's new session. `isKept`: the whole conversation is stored under this session. `knowsAll`: the agent already knows the
   * conversation that the tab continues.
   */
  sessionChanged(sessionId: string, isKept: boolean, knowsAll: boolean): void;
  /** Reports that the agent has received the conversation that the tab continues. */
  told(): void;
  /** Sets the agent's title; undefined removes it. */
  titled(title: string | undefined): void;
  turnEnded(stopReason: string): void;
}

export interface ConversationParts {
  readonly tabId: string;
  readonly agent: ConfiguredAgent;
  readonly target: FoldTarget;
  /** Absolute paths of the workspace folders; the first is the working folder. */
  readonly folders: readonly string[];
  readonly sessionId?: string;
  /** Set if the tab continues another conversation and has no session that knows it. */
  readonly branch?: BranchPoint;
  /** Returns content that describes this conversation to an agent without a session for it. */
  readonly handOff?: (cwd: string) => readonly Members[];
  /** Whether the queue is from an earlier window and waits until the user sends a prompt. */
  readonly isQueueHeld?: boolean;
  /** Command without session arguments, for sign-ins in a terminal. */
  readonly command: Command;
  readonly signIn: SignIn;
  readonly toBlocks: AttachmentContent;
  readonly observers: SessionObservers;
  readonly hooks: ConversationHooks;
  readonly logger: Logger;
  /** Called if the agent accepts only one of several folders; undefined selects the first. */
  chooseFolder(folders: readonly string[]): Promise<string | undefined>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  /** Milliseconds for an agent to stop before the user is notified; default 10 s. */
  readonly stopTimeoutMs?: number;
  /** Maximum milliseconds of silence after a message into the turn; default 60 s. */
  readonly quietMs?: number;
  /** Milliseconds after a turn's end for an agent to answer a message into it; default 2 s. */
  readonly lateAnswerMs?: number;
}
