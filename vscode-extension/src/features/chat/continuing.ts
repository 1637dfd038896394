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

/** A new tab in which another agent goes on with a tab's conversation. What waits there for an answer is its draft. */
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

/** Undefined where nothing was asked of an agent yet. */
function branchPoint({ record, state, transcript }: ChatTab): ContinuedPoint | undefined {
  if (!transcript.transcript.items.some(({ kind }) => kind === "user")) return undefined;
  const { sessionId, isKept, branch } = record;
  const kept = isKept === true ? sessionId : undefined;
  // One that has not been spoken in since it was made itself goes on with what that one did.
  const from = branch?.from ?? { agentName: state.agentName, ...(kept !== undefined && { kept }) };
  return { isWhole: true, from, options: [] };
}

/** What the user wrote and no agent has answered: what is being written, else the prompt that failed, runs or waits. */
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

/** The other agent waits for it, and only in its own tab. */
function isOpen(item: Item): boolean {
  if (item.kind === "permission" || item.kind === "elicitation") return item.answer === undefined;
  return item.kind === "authentication" && item.state !== "done";
}

/** What cards offer is about the other agent. */
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
    title: `Continuing with ${agentName}`,
    text: `It gets the conversation with ${before} with your next prompt. The tab of ${before} stays open.`,
    agentBefore: before,
    actions: [],
  };
}
