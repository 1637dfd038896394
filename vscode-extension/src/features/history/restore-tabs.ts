import { setTimeout as wait } from "node:timers/promises";
import type { ChatTabs } from "../chat/chat-tabs.js";
import type { ConversationHistory } from "./conversation-history.js";
import type { TabArchive } from "./tab-archive.js";
import type { TabSummary } from "./tab-summary.js";

/** Delays in milliseconds between retries after a window reload. The previous window may still be closing and own its tabs. */
const laterMs = [100, 200, 400, 800, 1_500, 3_000, 6_000] as const;

type Loads = Pick<ConversationHistory, "load">;

export async function restoreLate(
  tabs: ChatTabs,
  archive: TabArchive,
  history: Loads,
  end: AbortSignal,
): Promise<void> {
  for (const ms of laterMs) {
    await wait(ms, undefined, { signal: end, ref: false }).catch(() => undefined);
    if (end.aborted) return;
    await restoreTabs(tabs, archive, history, end);
  }
}

export async function restoreTabs(
  tabs: ChatTabs,
  archive: TabArchive,
  history: Loads,
  end: AbortSignal,
): Promise<void> {
  const summaries = await archive.claimOpen();
  if (summaries.length === 0) return;
  const selected = summaries.find(({ isSelected }) => isSelected) ?? summaries[0];
  tabs.announce(
    summaries.map(({ record }) => record.tabId),
    selected?.record.tabId,
  );
  for (const summary of [...(selected ? [selected] : []), ...summaries.filter((one) => one !== selected)]) {
    if (end.aborted) return;
    await restore(tabs, history, summary);
  }
}

async function restore(tabs: ChatTabs, history: Loads, summary: TabSummary): Promise<void> {
  const stored = await history.load(summary);
  if (stored) tabs.restore(stored);
  else tabs.forget(summary.record.tabId);
}
