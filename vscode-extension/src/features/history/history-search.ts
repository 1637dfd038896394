import * as l10n from "@vscode/l10n";
import type { StoredSession } from "@symposium-dev/core/node";
import type { Transcript } from "../../../protocol/index.js";
import { basename } from "node:path";
import type { HostedSession } from "../../acp/hosted-sessions.js";
import type { ChatTab } from "../chat/chat-tab.js";
import { Journal } from "./journal.js";
import type { StoredConversations } from "./stored-conversations.js";
import type { TabSummary } from "./tab-summary.js";

const snippetChars = 120;
/** Maximum number of matches shown. To find older matches, the user can type another word. */
export const mostMatches = 200;

/** Conversation from the history: open in this window, in the shared store, in a closed tab, or in both the store and a closed tab. */
export interface PastConversation {
  readonly title: string;
  readonly agentName: string;
  readonly updatedAt: number;
  readonly prompts: number;
  /** Absolute path of the conversation's working folder, if known. */
  readonly folder?: string;
  readonly stored: readonly StoredSession[];
  readonly tab?: TabSummary;
  readonly open?: ChatTab;
  /** Session in the host, if the conversation has one. */
  readonly live?: HostedSession;
  readonly isArchived?: boolean;
}

/** Returns whether a conversation's agent waits for the user, is working, or neither. */
export function activityIn({ open, live }: PastConversation): "waiting" | "working" | undefined {
  if (open?.state.phase === "running") return open.state.waiting > 0 ? "waiting" : "working";
  return live?.state === "waiting" || live?.state === "working" ? live.state : undefined;
}

interface MatchGroup {
  readonly label: string;
  readonly matches: readonly HistoryMatch[];
}

/** Groups matches: first those with a running turn, waiting ones before others, then by project, the projects in `here` first. */
export function groupedMatches(matches: readonly HistoryMatch[], here: readonly string[]): readonly MatchGroup[] {
  const running = (["waiting", "working"] as const).flatMap((activity) =>
    matches.filter(({ past }) => activityIn(past) === activity),
  );
  const projects = new Map(here.map((folder): [string, HistoryMatch[]] => [folder, []]));
  for (const match of matches) {
    if (activityIn(match.past) !== undefined) continue;
    const folder = match.past.folder ?? here[0] ?? "";
    projects.set(folder, [...(projects.get(folder) ?? []), match]);
  }
  const groups = [...projects].map(([folder, found]) => ({
    label: folder === "" ? l10n.t("No folder") : basename(folder),
    matches: found,
  }));
  return [{ label: l10n.t("In progress"), matches: running }, ...groups].filter(
    ({ matches: { length } }) => length > 0,
  );
}

interface HistoryMatch {
  readonly past: PastConversation;
  /** Text around the first match; empty if only the title matches or the query is empty. */
  readonly snippet: string;
}

export class HistorySearch {
  readonly #texts = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly all: readonly PastConversation[],
    private readonly journalOf: (tabId: string) => string,
    private readonly store: Pick<StoredConversations, "excerpt" | "ofSession">,
  ) {}

  /** Returns a search in only the archived conversations, or in only the others. */
  among(isArchived: boolean): HistorySearch {
    const some = this.all.filter((past) => (past.isArchived === true) === isArchived);
    return new HistorySearch(some, this.journalOf, this.store);
  }

  get folders(): readonly string[] {
    return this.all.flatMap(({ folder }) => folder ?? []);
  }

  get total(): number {
    return this.all.length;
  }

  /**
   * Returns up to {@link mostMatches} conversations with every word of `query` in their title or text, in list order. Stops early once
   * `isWanted` returns false.
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

  async #snippet({ stored, tab, open }: PastConversation, words: readonly string[]): Promise<string | undefined> {
    const [first] = words;
    if (first === undefined) return "";
    if (open) return excerptWith(saidIn(open.transcript.transcript), words, first);
    if (tab !== undefined && tab.conversation === undefined) {
      const text = await this.#textOf(tab.record.tabId);
      if (text !== undefined) return excerptWith(text, words, first);
      // The tab may have been moved to the store after it was listed.
      if (stored.length === 0) stored = await this.store.ofSession(tab.record.sessionId ?? tab.record.tabId);
    }
    for (const { id } of stored) {
      const excerpt = await this.store.excerpt(id, words);
      if (excerpt !== undefined) return excerpt;
    }
    return undefined;
  }

  /** Returns a tab's text, or undefined without a readable journal. */
  #textOf(tabId: string): Promise<string | undefined> {
    const known = this.#texts.get(tabId);
    if (known) return known;
    const read = Journal.read(this.journalOf(tabId)).then((content) => content && saidIn(content.transcript));
    this.#texts.set(tabId, read);
    return read;
  }
}

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

/** Returns a note for the end of a shortened list; undefined if all matches are shown. */
export function moreMatches(found: number, total: number): string | undefined {
  return found < mostMatches || found === total ? undefined : l10n.t("latest {0}; type to search older ones", found);
}

export interface EmptyHistory {
  readonly label: string;
  readonly detail: string;
  readonly leadsTo: "new chat" | "all sessions";
}

/** Returns the reason why the list is empty and a next step: no conversations, or no match. */
export function emptyHistory(query: string, total: number, isArchive = false): EmptyHistory {
  if (total === 0 && isArchive) {
    return {
      label: l10n.t("The archive is empty"),
      detail: l10n.t("Press Enter to show the other conversations."),
      leadsTo: "all sessions",
    };
  }
  if (total === 0) {
    return {
      label: l10n.t("There are no conversations here yet"),
      detail: l10n.t(
        "Conversations with agents in any editor are stored unless config.jsonc turns this off. Press Enter to open a new chat.",
      ),
      leadsTo: "new chat",
    };
  }
  const all = total === 1 ? l10n.t("the only conversation") : l10n.t("all {0} conversations", total);
  return {
    label: l10n.t('Nothing matches "{0}"', query.trim()),
    detail: l10n.t("Searched titles and messages. Press Enter to show {0}.", all),
    leadsTo: "all sessions",
  };
}
