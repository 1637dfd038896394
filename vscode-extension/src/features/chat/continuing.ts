import * as l10n from "@vscode/l10n";
import {
  applyChange,
  type BranchPoint,
  type Draft,
  type Item,
  type ItemOf,
  newTabState,
  newTranscript,
} from "../../../protocol/index.js";
import { copied, type CutTab, newRecord } from "./branching.js";
import type { ChatTab } from "./chat-tab.js";
import { TabTranscript } from "./tab-transcript.js";

/** Returns a new tab in which another agent continues a tab's conversation. An unanswered prompt becomes the draft. */
export function continuedTab(
  tab: ChatTab,
  agent: { readonly id: string; readonly name: string },
  tabId: string,
): CutTab {
  const { state, transcript } = tab;
  const { items, terminals } = transcript.transcript;
  const running = runningPrompt(tab);
  const said = items.slice(0, running ? items.indexOf(running) : items.length).filter((item) => !isOpen(item));
  const { folder } = state;
  const copy = newTranscript({
    ...newTabState(agent),
    title: state.title === state.agentName ? agent.name : state.title,
    phase: "ready",
    ...(folder !== undefined && { folder }),
  });
  for (const item of said) applyChange(copy, { op: "put", item: withoutActions(copied(item)) });
  for (const terminal of terminals.values()) copy.terminals.set(terminal.terminalId, terminal);
  const point = branchPoint(tab);
  if (point) applyChange(copy, { op: "put", item: continuedNotice(agent.name, point.from.agentName) });
  const draft = unanswered(tab, running);
  return { record: { ...newRecord(tab, tabId, point), ...(draft && { draft }) }, transcript: new TabTranscript(copy) };
}

type ContinuedPoint = BranchPoint & { readonly from: NonNullable<BranchPoint["from"]> };

/** Returns the point from which another agent continues; undefined before the tab's first prompt. */
function branchPoint({ record, state, transcript }: ChatTab): ContinuedPoint | undefined {
  if (!transcript.transcript.items.some(({ kind }) => kind === "user")) return undefined;
  const { sessionId, isKept, branch } = record;
  const kept = isKept === true ? sessionId : undefined;
  // A tab without its own prompts refers to the conversation that it was branched from.
  const from = branch?.from ?? { agentName: state.agentName, ...(kept !== undefined && { kept }) };
  return { isWhole: true, from, options: [] };
}

/** Returns the user's unanswered text: the draft, else the failed, running or queued prompt. */
function unanswered({ draft, state, transcript }: ChatTab, running: ItemOf<"user"> | undefined): Draft | undefined {
  if (draft && (draft.text !== "" || draft.attachments.length > 0))
    return { text: draft.text, attachments: draft.attachments };
  const { items } = transcript.transcript;
  const end = items.findLast((item) => item.kind === "turn-end");
  const hasFailed = end?.stopReason === "error" || end?.stopReason === "interrupted";
  const { text, attachments } = running ?? (hasFailed ? lastPrompt(items) : undefined) ?? state.queue[0] ?? {};
  return text === undefined || attachments === undefined ? undefined : { text, attachments };
}

function runningPrompt({ state, transcript }: ChatTab): ItemOf<"user"> | undefined {
  const isRunning = state.phase === "running" || state.phase === "stopping";
  return isRunning ? lastPrompt(transcript.transcript.items) : undefined;
}

function lastPrompt(items: readonly Item[]): ItemOf<"user"> | undefined {
  return items.findLast((item): item is ItemOf<"user"> => item.kind === "user" && item.isSteered !== true);
}

/** Returns whether an item waits for the user's answer. Only the tab of the agent that asked can give the answer. */
function isOpen(item: Item): boolean {
  if (item.kind === "permission" || item.kind === "elicitation") return item.answer === undefined;
  return item.kind === "authentication" && item.state !== "done";
}

/** Returns a card without its actions, because the actions apply to the previous agent. */
function withoutActions(item: Item): Item {
  if (item.kind !== "notice") return item;
  const { progress: _progress, ...rest } = item;
  return { ...rest, actions: [] };
}

export function continuedNotice(agentName: string, before: string): ItemOf<"notice"> {
  return {
    kind: "notice",
    id: crypto.randomUUID(),
    severity: "info",
    title: l10n.t("Continuing with {0}", agentName),
    text: l10n.t("It gets the conversation with {0} with your next prompt. The {1} tab stays open.", before, before),
    agentBefore: before,
    actions: [],
  };
}
