import * as l10n from "@vscode/l10n";
import { AgentFailure, AgentRefusal, messageOf } from "@symposium-dev/core";
import type { Action, ItemOf } from "../../protocol/index.js";

type Notice = ItemOf<"notice">;

/** Buttons on the cards of a conversation. `action` messages contain the id of the pressed button. */
const restart: Action = { id: "restart", label: l10n.t("Restart agent"), style: "primary" };
const openLog: Action = { id: "open-log", label: l10n.t("Open log") };
const retry: Action = { id: "retry", label: l10n.t("Try again"), style: "primary" };
/** Asks for another agent to continue the conversation in a new tab. */
export const continueWith: Action = { id: "continue-with", label: l10n.t("Continue with…") };
export const stopTurn: Action = { id: "stop-turn", label: l10n.t("Stop the turn"), style: "primary" };

export interface Crash {
  readonly id: string;
  readonly failure: AgentFailure;
  /** Whether a turn was running when the agent crashed. */
  readonly hasEndedTurn: boolean;
}

/** Returns a card that reports a crash. `isRestarting` is true if the agent restarts automatically. */
export function crashNotice(id: string, agentName: string, failure: AgentFailure, isRestarting: boolean): Notice {
  const next = isRestarting
    ? l10n.t("It is being restarted.")
    : l10n.t("It stopped too often to be restarted automatically.");
  return {
    ...endNotice(id, agentName, failure, next),
    severity: "error",
    actions: isRestarting ? [openLog] : [restart, continueWith, openLog],
    ...(isRestarting ? { progress: {} } : {}),
  };
}

/** Returns a card that reports the agent's restart and replaces the card of the crash. */
export function restartedNotice(agentName: string, { id, failure, hasEndedTurn }: Crash, isContinued: boolean): Notice {
  const memory = isContinued
    ? l10n.t("and remembers this conversation")
    : l10n.t("but doesn't remember this conversation");
  return {
    ...endNotice(id, agentName, failure, l10n.t("It was restarted {0}.", memory)),
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
    title: l10n.t("{0} ended unexpectedly", agentName),
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
    title: l10n.t("{0} was restarted from another tab", agentName),
    text: l10n.t("The tabs share its process, so this turn ended. Your next prompt continues the conversation."),
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
    title: l10n.t("{0} could not be started", agentName),
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
    title: l10n.t("{0} could not answer", agentName),
    text: textOf(thrown),
    actions: [retry, continueWith, openLog],
  };
}

export function unstoppedNotice(id: string, agentName: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: l10n.t("{0} hasn't stopped yet", agentName),
    text: l10n.t("It was asked to stop but is still working. Restarting it ends the turn."),
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
    title: l10n.t("{0} hasn't responded since your message", agentName),
    text: l10n.t("Your message was added to its turn. It may still be working; if not, stop the turn and continue."),
    actions: [stopTurn],
  };
}

/** Card for a lost session; the transcript is still available. */
export function forgottenNotice(id: string, agentName: string, reason: string): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: l10n.t("{0} does not remember the conversation above", agentName),
    text: l10n.t("{0} The transcript is still here; a new session was started.", reason),
    actions: [],
  };
}

export function optionNotice(id: string, name: string, thrown: unknown): Notice {
  return {
    kind: "notice",
    id,
    severity: "warning",
    title: l10n.t("{0} could not be changed", name),
    text: textOf(thrown),
    actions: [],
  };
}

function textOf(thrown: unknown): string {
  if (thrown instanceof AgentRefusal && thrown.code !== undefined)
    return l10n.t("{0} (error {1})", thrown.message, thrown.code);
  return messageOf(thrown);
}

export function connectionEnded(): AgentRefusal {
  return new AgentRefusal({ message: l10n.t("The connection has ended.") });
}
