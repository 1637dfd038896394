import {
  applyChange,
  type Branch,
  type BranchPoint,
  type Item,
  newTranscript,
  type Transcript,
} from "../../../protocol/index.js";
import type { ChatTab } from "./chat-tab.js";
import { type TabRecord, TabTranscript } from "./tab-transcript.js";

export interface CutTab {
  readonly record: TabRecord;
  readonly transcript: TabTranscript;
}

export function cutTab(tab: ChatTab, at: number, tabId: string): CutTab {
  const { transcript } = tab.transcript;
  const point = branchPoint(tab, at);
  const copy = newTranscript({
    ...withoutOptional(transcript.state),
    phase: "ready",
    queue: [],
    waiting: 0,
    isUnread: false,
    changedFiles: [],
  });
  for (const item of transcript.items.slice(0, at)) applyChange(copy, { op: "put", item: copied(item) });
  for (const terminal of transcript.terminals.values()) copy.terminals.set(terminal.terminalId, terminal);
  return {
    record: newRecord(tab, tabId, point),
    transcript: new TabTranscript(copy),
  };
}

export function newRecord({ record }: ChatTab, tabId: string, branch: BranchPoint | undefined): TabRecord {
  const {
    draft: _draft,
    sessionId: _sessionId,
    isKept: _isKept,
    branch: _branch,
    comparison: _comparison,
    ...rest
  } = record;
  return { ...rest, tabId, createdAt: Date.now(), ...(branch && { branch }) };
}

function withoutOptional({
  usage: _usage,
  turnStartedAt: _started,
  ...state
}: Transcript["state"]): Transcript["state"] {
  return state;
}

/** Returns a copy of an item without its actions, because only the tab that changed the files can restore them. */
export function copied(item: Item): Item {
  if (item.kind !== "user") return item;
  const { actions: _actions, ...rest } = item;
  return rest;
}

/** Returns the point at which a branch starts; undefined if the conversation has no prompt before `at`. */
function branchPoint({ transcript: { transcript }, record }: ChatTab, at: number): BranchPoint | undefined {
  const kept = transcript.items.slice(0, at);
  if (!kept.some(({ kind }) => kind === "user")) return undefined;
  const message = lastMessage(kept);
  return {
    // A session can't be forked if its agent hasn't yet received the history that the tab continues.
    ...(record.sessionId !== undefined && record.branch === undefined && { sessionId: record.sessionId }),
    isWhole: !transcript.items.slice(at).some(({ kind }) => kind === "user"),
    ...(message && { message }),
    options: transcript.state.options.map(({ id, value }) => ({ id, value })),
  };
}

/**
 * Returns the agent's last message if it belongs to the last turn. If it belonged to an earlier turn, a fork at that message would lose
 * later turns.
 */
function lastMessage(items: readonly Item[]): BranchPoint["message"] {
  const turn = items.findLastIndex((item) => item.kind === "user" && item.isSteered !== true);
  const last = items.slice(turn).findLast((item) => item.kind === "text" && item.messageId !== undefined);
  if (last?.kind !== "text" || last.messageId === undefined) return undefined;
  const texts = new Map<string, string>();
  for (const item of items) {
    if (item.kind !== "text" || item.messageId === undefined) continue;
    texts.set(item.messageId, (texts.get(item.messageId) ?? "") + item.text);
  }
  const text = texts.get(last.messageId) ?? "";
  const occurrence = [...texts.values()].filter((one) => one === text).length;
  return { id: last.messageId, text, occurrence };
}

export function branchesAt({ tabId, transcript }: ChatTab, at: number): readonly Branch[] {
  const item = transcript.transcript.items[at];
  if (item?.kind !== "user") return [];
  return item.branches ?? [{ tabId, itemId: item.id }];
}
