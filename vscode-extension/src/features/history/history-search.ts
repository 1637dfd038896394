import type { Transcript } from "../../../protocol/index.js";
import { Journal } from "./journal.js";
import type { TabSummary } from "./tab-summary.js";

const snippetChars = 120;

interface HistoryMatch {
  readonly summary: TabSummary;
  /** The words around the first place that matches; empty where only the title does, or nothing was asked for. */
  readonly snippet: string;
}

/** Finds closed tabs by what was said in them. Transcripts are read at the first search and kept. */
export class HistorySearch {
  readonly #texts = new Map<string, Promise<string>>();

  constructor(
    private readonly summaries: readonly TabSummary[],
    private readonly journalOf: (tabId: string) => string,
  ) {}

  /** How many tabs are searched. */
  get total(): number {
    return this.summaries.length;
  }

  /** Tabs that have every word of `query` in their title or in what was said, in the order of the summaries. */
  async find(query: string): Promise<HistoryMatch[]> {
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    if (words.length === 0) return this.summaries.map((summary) => ({ summary, snippet: "" }));
    const found = await Promise.all(this.summaries.map((summary) => this.#match(summary, words)));
    return found.filter((match) => match !== undefined);
  }

  async #match(summary: TabSummary, words: readonly string[]): Promise<HistoryMatch | undefined> {
    const title = `${summary.title} ${summary.agentName}`.toLowerCase();
    if (words.every((word) => title.includes(word))) return { summary, snippet: "" };
    const text = await this.#textOf(summary.record.tabId);
    const lower = text.toLowerCase();
    if (!words.every((word) => title.includes(word) || lower.includes(word))) return undefined;
    const at = Math.max(0, ...words.map((word) => lower.indexOf(word)));
    const start = Math.max(0, at - snippetChars / 3);
    const snippet = text
      .slice(start, start + snippetChars)
      .replaceAll(/\s+/g, " ")
      .trim();
    return { summary, snippet: `${start > 0 ? "…" : ""}${snippet}…` };
  }

  #textOf(tabId: string): Promise<string> {
    const known = this.#texts.get(tabId);
    if (known) return known;
    const read = Journal.read(this.journalOf(tabId)).then((content) => (content ? saidIn(content.transcript) : ""));
    this.#texts.set(tabId, read);
    return read;
  }
}

function saidIn({ items }: Transcript): string {
  return items.flatMap((item) => (item.kind === "user" || item.kind === "text" ? item.text : [])).join("\n");
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
      detail: "A tab that you close is kept here. Press Enter to open a new chat.",
      leadsTo: "new chat",
    };
  }
  const all = total === 1 ? "the one session there is" : `all ${total} sessions`;
  return {
    label: `Nothing matches "${query.trim()}"`,
    detail: `Titles and everything that was said were searched. Press Enter to see ${all}.`,
    leadsTo: "all sessions",
  };
}
