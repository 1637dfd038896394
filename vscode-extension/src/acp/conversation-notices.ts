import { AgentFailure, AgentRefusal, messageOf } from "@symposium-dev/core";
import type { Action, ItemOf } from "../../protocol/index.js";

type Notice = ItemOf<"notice">;

/** Buttons of the cards that a conversation shows; their ids come back in `action` messages. */
const restart: Action = { id: "restart", label: "Restart agent", style: "primary" };
const openLog: Action = { id: "open-log", label: "Open log" };
const retry: Action = { id: "retry", label: "Try again", style: "primary" };
/** Asks which other agent shall go on with the conversation, in a tab of its own. */
export const continueWith: Action = { id: "continue-with", label: "Continue with…" };
/** Stops the running turn, as the composer's button does. */
export const stopTurn: Action = { id: "stop-turn", label: "Stop the turn", style: "primary" };

/** An agent that ended by itself, and the card that says so. */
export interface Crash {
  readonly id: string;
  readonly failure: AgentFailure;
  /** A turn was open. */
  readonly hasEndedTurn: boolean;
}

/** The agent ended by itself. `isRestarting`: it comes back without the user. */
export function crashNotice(id: string, agentName: string, failure: AgentFailure, isRestarting: boolean): Notice {
  const next = isRestarting ? "It is being started again." : "It has ended too often to be started again by itself.";
  return {
    ...endNotice(id, agentName, failure, next),
    severity: "error",
    actions: isRestarting ? [openLog] : [restart, continueWith, openLog],
    ...(isRestarting ? { progress: {} } : {}),
  };
}

/** The agent runs again after a crash: takes the place of the crash's card. */
export function restartedNotice(agentName: string, { id, failure, hasEndedTurn }: Crash, isContinued: boolean): Notice {
  const memory = isContinued ? "and remembers this conversation" : "but does not remember this conversation";
  return {
    ...endNotice(id, agentName, failure, `It runs again ${memory}.`),
    severity: isContinued ? "info" : "warning",
    actions: hasEndedTurn ? [retry, continueWith, openLog] : [openLog],
  };
}

function endNotice(
  id: string,
  agentName: string,
  { text, details }: AgentFailure,
  next: string,
): Omit<Notice, "severity" | "actions"> {
  return {
    kind: "notice",
    id,
    title: `${agentName} ended unexpectedly`,
    text: `${text} ${next}`,
    ...(details === undefined ? {} : { details }),
  };
}

/** The agent was restarted for another tab while this one had a turn. */
export function replacedNotice(id: string, agentName: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: `${agentName} was restarted from another tab`,
    text: "The tabs share its process, so this turn ended. The next prompt goes on with the conversation.",
    actions: [retry],
  };
}

/** The card of the latest start that failed; a tab has one at most, and none while its agent runs. */
export const startNoticeId = "symposium:not-started";

/** The session could not be opened. */
export function startNotice(agentName: string, thrown: unknown): Notice {
  const details = thrown instanceof AgentFailure ? thrown.details : undefined;
  return {
    kind: "notice",
    id: startNoticeId,
    severity: "error",
    title: `${agentName} could not be started`,
    text: textOf(thrown),
    ...(details === undefined ? {} : { details }),
    actions: [restart, continueWith, openLog],
  };
}

/** A prompt was refused. */
export function refusedNotice(id: string, agentName: string, thrown: unknown): Notice {
  return {
    kind: "notice",
    id,
    severity: "error",
    title: `${agentName} could not answer`,
    text: textOf(thrown),
    actions: [retry, continueWith, openLog],
  };
}

/** The agent does not stop. */
export function unstoppedNotice(id: string, agentName: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: `${agentName} has not stopped yet`,
    text: "It was asked to stop and still works. Restarting it ends the turn for sure.",
    actions: [restart],
  };
}

export const quietNoticeId = "symposium:quiet";

/** An agent took what was said into its turn, and has done nothing since. */
export function quietNotice(agentName: string): Notice {
  return {
    kind: "notice",
    id: quietNoticeId,
    severity: "warning",
    title: `${agentName} has done nothing since you wrote`,
    text: "It took what you said into its turn. It may still work on something; if not, stop the turn and go on.",
    actions: [stopTurn],
  };
}

/** An earlier session is gone; its transcript is ours. */
export function forgottenNotice(id: string, agentName: string, reason: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: `${agentName} does not remember the conversation above`,
    text: `${reason} The transcript is kept; a new session has begun.`,
    actions: [],
  };
}

export function optionNotice(id: string, name: string, thrown: unknown): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: `${name} could not be changed`,
    text: textOf(thrown),
    actions: [],
  };
}

function textOf(thrown: unknown): string {
  if (thrown instanceof AgentRefusal && thrown.code !== undefined) return `${thrown.message} (error ${thrown.code})`;
  return messageOf(thrown);
}
