import { AgentFailure, AgentRefusal, messageOf } from "@symposium-dev/core";
import type { Action, ItemOf } from "../../protocol/index.js";

type Notice = ItemOf<"notice">;

/** Buttons on the cards of a conversation. `action` messages contain the id of the pressed button. */
const restart: Action = { id: "restart", label: "Restart agent", style: "primary" };
const openLog: Action = { id: "open-log", label: "Open log" };
const retry: Action = { id: "retry", label: "Try again", style: "primary" };
/** Asks for another agent to continue the conversation in a new tab. */
export const continueWith: Action = { id: "continue-with", label: "Continue with…" };
export const stopTurn: Action = { id: "stop-turn", label: "Stop the turn", style: "primary" };

export interface Crash {
  readonly id: string;
  readonly failure: AgentFailure;
  /** Whether a turn was running when the agent crashed. */
  readonly hasEndedTurn: boolean;
}

/** Returns a card that reports a crash. `isRestarting` is true if the agent restarts automatically. */
export function crashNotice(id: string, agentName: string, failure: AgentFailure, isRestarting: boolean): Notice {
  const next = isRestarting ? "It is being restarted." : "It stopped too often to be restarted automatically.";
  return {
    ...endNotice(id, agentName, failure, next),
    severity: "error",
    actions: isRestarting ? [openLog] : [restart, continueWith, openLog],
    ...(isRestarting ? { progress: {} } : {}),
  };
}

/** Returns a card that reports the agent's restart and replaces the card of the crash. */
export function restartedNotice(agentName: string, { id, failure, hasEndedTurn }: Crash, isContinued: boolean): Notice {
  const memory = isContinued ? "and remembers this conversation" : "but doesn't remember this conversation";
  return {
    ...endNotice(id, agentName, failure, `It was restarted ${memory}.`),
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

/** Returns a card that reports that another tab restarted the agent during this tab's turn. */
export function replacedNotice(id: string, agentName: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: `${agentName} was restarted from another tab`,
    text: "The tabs share its process, so this turn ended. Your next prompt continues the conversation.",
    actions: [retry],
  };
}

/** Id of the card for the latest failed start; at most one per tab, and none while the agent runs. */
export const startNoticeId = "symposium:not-started";

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

export function unstoppedNotice(id: string, agentName: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: `${agentName} hasn't stopped yet`,
    text: "It was asked to stop but is still working. Restarting it ends the turn.",
    actions: [restart],
  };
}

export const quietNoticeId = "symposium:quiet";

/** Card for an agent that accepted a message into its turn and has been silent since. */
export function quietNotice(agentName: string): Notice {
  return {
    kind: "notice",
    id: quietNoticeId,
    severity: "warning",
    title: `${agentName} hasn't responded since your message`,
    text: "Your message was added to its turn. It may still be working; if not, stop the turn and continue.",
    actions: [stopTurn],
  };
}

/** Card for a lost session; the transcript is still available. */
export function forgottenNotice(id: string, agentName: string, reason: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: `${agentName} does not remember the conversation above`,
    text: `${reason} The transcript is still here; a new session was started.`,
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
