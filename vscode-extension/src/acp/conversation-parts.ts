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
  /** The agent's `authMethods` from the answer to `initialize`, unmodified. */
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
  /** Sets the tab's title from the agent; undefined removes the title. */
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
  /** Point from which the tab continues another conversation; absent if a session of the tab already knows that conversation. */
  readonly branch?: BranchPoint;
  /** Returns content that describes this conversation to an agent without a session for it. */
  readonly handOff?: (cwd: string) => readonly Members[];
  /** Whether the queued prompts come from an earlier window. They wait until the user sends a prompt. */
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
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  /** Milliseconds for an agent to stop before the user is notified; default 10 s. */
  readonly stopTimeoutMs?: number;
  /** Maximum time in milliseconds that an agent may be silent after a message was sent into its turn; default: 60 s. */
  readonly quietMs?: number;
  /** Milliseconds after the end of a turn in which an agent may still answer a message that was sent into the turn; default: 2 s. */
  readonly lateAnswerMs?: number;
}
