import type { StoredSession } from "@symposium-dev/core/node";
import type { Transcript } from "../../../protocol/index.js";
import type { ChatTab } from "../chat/chat-tab.js";
import { Journal } from "./journal.js";
import type { StoredConversations } from "./stored-conversations.js";
import type { TabSummary } from "./tab-summary.js";

const snippetChars = 120;
/** More than anybody reads: who looks for an older one says another word of it. */
export const mostMatches = 200;

/** A conversation: one that is open here, one that is kept for every editor, a tab that was closed here, or both of these. */
export interface PastConversation {
  readonly title: string;
  readonly agentName: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly prompts: number;
  /** Absolute path, where it is known. */
  readonly folder?: string;
  /** All that are kept under its session's id, the one that was used last first. */
  readonly stored: readonly StoredSession[];
  readonly tab?: TabSummary;
  /** The tab that shows it in this window. */
  readonly open?: ChatTab;
}

interface HistoryMatch {
  readonly past: PastConversation;
  /** The words around the first place that matches; empty where only the title does, or nothing was asked for. */
  readonly snippet: string;
}

/** Finds conversations by what was said in them. */
export class HistorySearch {
  readonly #texts = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly all: readonly PastConversation[],
    private readonly journalOf: (tabId: string) => string,
    private readonly store: Pick<StoredConversations, "excerpt" | "ofSession">,
  ) {}

  /** How many conversations are searched. */
  get total(): number {
    return this.all.length;
  }

  /**
   * Those that have every word of `query` in their title or in what was said, in their order: at most {@link mostMatches}, and fewer
   * once `isWanted` is false.
   */
  async find(query: string, isWanted = (): boolean => true): Promise<readonly HistoryMatch[]> {
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    const found: HistoryMatch[] = [];
    for (const past of this.all) {
      if (!isWanted() || found.length === mostMatches) break;
      const title = `${past.title} ${past.agentName}`.toLowerCase();
      const snippet = await this.#snippet(
        past,
        words.filter((word) => !title.includes(word)),
      );
      if (snippet !== undefined) found.push({ past, snippet });
    }
    return found;
  }

  /** Of the first of `words`, where all of them stand in it. */
  async #snippet({ stored, tab, open }: PastConversation, words: readonly string[]): Promise<string | undefined> {
    const [first] = words;
    if (first === undefined) return "";
    if (open) return excerptWith(saidIn(open.transcript.transcript), words, first);
    if (tab !== undefined && tab.conversation === undefined) {
      const text = await this.#textOf(tab.record.tabId);
      if (text !== undefined) return excerptWith(text, words, first);
      // Since it was listed it has been moved to where all are kept.
      if (stored.length === 0) stored = await this.store.ofSession(tab.record.sessionId ?? tab.record.tabId);
    }
    for (const { id } of stored) {
      const excerpt = await this.store.excerpt(id, words);
      if (excerpt !== undefined) return excerpt;
    }
    return undefined;
  }

  /** What was said in a tab; undefined where it has no journal, or none that can be read. */
  #textOf(tabId: string): Promise<string | undefined> {
    const known = this.#texts.get(tabId);
    if (known) return known;
    const read = Journal.read(this.journalOf(tabId)).then((content) => content && saidIn(content.transcript));
    this.#texts.set(tabId, read);
    return read;
  }
}

/** Quotes the place of the first word; undefined unless the text has all words. */
function excerptWith(text: string, words: readonly string[], first: string): string | undefined {
  const lower = text.toLowerCase();
  if (!words.every((word) => lower.includes(word))) return undefined;
  const at = lower.indexOf(first);
  const start = Math.max(0, at - snippetChars / 3);
  const snippet = text.slice(start, start + snippetChars).replaceAll(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${snippet.trim()}…`;
}

function saidIn({ items }: Transcript): string {
  return items.flatMap((item) => (item.kind === "user" || item.kind === "text" ? item.text : [])).join("\n");
}

/** What the list says below as many as it shows; undefined where these are all. */
export function moreMatches(found: number, total: number): string | undefined {
  return found < mostMatches || found === total ? undefined : `the latest ${found}; type a word of an older one`;
}

/** What the list of conversations says in place of lines. */
export interface EmptyHistory {
  readonly label: string;
  readonly detail: string;
  /** What choosing it does. */
  readonly leadsTo: "new chat" | "all sessions";
}

/** Why the list is empty, and what to do: there is nothing of before, or the search has found nothing in it. */
export function emptyHistory(query: string, total: number): EmptyHistory {
  if (total === 0) {
    return {
      label: "There are no conversations here yet",
      detail:
        "What you say to agents in any editor is kept, unless config.jsonc says otherwise. Press Enter to open a new chat.",
      leadsTo: "new chat",
    };
  }
  const all = total === 1 ? "the one conversation there is" : `all ${total} conversations`;
  return {
    label: `Nothing matches "${query.trim()}"`,
    detail: `Searched titles and messages. Press Enter to show ${all}.`,
    leadsTo: "all sessions",
  };
}
