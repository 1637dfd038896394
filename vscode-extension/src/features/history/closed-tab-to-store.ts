import { setTimeout as wait } from "node:timers/promises";
import { atomicWrite } from "@symposium-dev/core/node";
import { newTabState, type Transcript } from "../../../protocol/index.js";
import { transcriptLines } from "../../acp/transcript-records.js";
import { Journal } from "./journal.js";
import type { StoredConversations } from "./stored-conversations.js";
import type { TabSummary } from "./tab-summary.js";

interface MovedTab {
  readonly summary: TabSummary;
  readonly journal: string;
  readonly exported: string;
  readonly store: Pick<StoredConversations, "list" | "transcript" | "import">;
  readonly agent: string;
  /** Absolute path of the tab's working folder. */
  readonly cwd: string;
}

/** Delays in milliseconds between retries. The conversation's last messages may not be on disk at first. */
const laterMs = [50, 200, 800, 2_000] as const;
const hidden = "[redacted]";

/**
 * Ensures that the conversation store has a closed tab's content, and returns the conversation's id in the store. Returns undefined if the
 * transcript is damaged or the stored copy is incomplete; deletes nothing, and rejects if the store is off.
 */
export async function keptAs(tab: MovedTab): Promise<string | undefined> {
  const { store, summary, exported, agent, cwd } = tab;
  const { tabId, sessionId = tabId, createdAt, isKept } = summary.record;
  const content = await Journal.read(tab.journal);
  if (content?.isWhole !== true) return undefined;
  const { transcript } = content;
  const sent = (): Promise<string | undefined> => knownAs(transcript, sessionId, store);
  let known = await sent();
  for (const ms of isKept === true ? laterMs : []) {
    if (known !== undefined) break;
    await wait(ms, undefined, { ref: false });
    known = await sent();
  }
  if (known !== undefined) return known;
  const origin = { session: sessionId, cwd, agent, started: createdAt };
  await atomicWrite(exported, [...transcriptLines(transcript, origin)].join(""));
  const id = await store.import(exported);
  const back = await store.transcript(id, newTabState({ id: agent, name: agent }));
  return back && covers(back, transcript) ? id : undefined;
}

async function knownAs(transcript: Transcript, session: string, store: MovedTab["store"]): Promise<string | undefined> {
  for (const one of await store.list()) {
    if (one.session !== session) continue;
    const kept = await store.transcript(one.id, transcript.state);
    if (kept && covers(kept, transcript)) return one.id;
  }
  return undefined;
}

/** Returns whether `kept` includes all prompts, answers and tool calls of `own`, ignoring redacted parts. */
export function covers(kept: Transcript, own: Transcript): boolean {
  const calls = new Set(kept.items.flatMap((item) => (item.kind === "tool" ? item.title : [])));
  if (!own.items.every((item) => item.kind !== "tool" || calls.has(item.title) || hasHidden(calls))) return false;
  if (!begins(answers(kept), answers(own))) return false;
  const prompts = kept.items.flatMap((item) => (item.kind === "user" ? item.text : []));
  let next = 0;
  for (const item of own.items) {
    if (item.kind !== "user") continue;
    const at = prompts.findIndex((text, index) => index >= next && begins(text, item.text));
    if (at === -1) return false;
    next = at + 1;
  }
  return true;
}

function hasHidden(texts: ReadonlySet<string>): boolean {
  return [...texts].some((text) => text.includes(hidden));
}

function answers({ items }: Transcript): string {
  return items.flatMap((item) => (item.kind === "text" ? item.text.replaceAll(/\s+/g, "") : [])).join("");
}

/** Returns whether `text` starts with `own`. Each redacted part of `text` matches any characters. */
function begins(text: string, own: string): boolean {
  const pieces = text.split(hidden);
  if (pieces.length === 1) return text.startsWith(own);
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const found = own.indexOf(piece, at);
    if (found === -1 || (index === 0 && found !== 0)) return false;
    at = found + piece.length;
  }
  return at === own.length || pieces.at(-1) === "";
}
