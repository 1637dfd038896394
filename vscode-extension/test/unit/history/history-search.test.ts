import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyChange, newTabState, newTranscript } from "../../../protocol/index.js";
import {
  emptyHistory,
  groupedMatches,
  HistorySearch,
  moreMatches,
  mostMatches,
  type PastConversation,
} from "../../../src/features/history/history-search.js";
import { snapshotText } from "../../../src/features/history/journal.js";
import type { TabSummary } from "../../../src/features/history/tab-summary.js";
import { liveSession } from "./stored-window.js";

function summaryOf(tabId: string, title: string): TabSummary {
  return {
    version: 1,
    record: { tabId, createdAt: 1 },
    title,
    agentId: "eliza",
    agentName: "Eliza",
    isOpen: false,
    order: 0,
    isSelected: false,
    updatedAt: 1,
    prompts: 1,
  };
}

describe("the list of conversations", () => {
  it("begins with waiting and working ones, then has this window's project and the others", () => {
    const named = (title: string, folder: string, state?: string): PastConversation => ({
      ...{ title, agentName: "Eliza", updatedAt: 1, prompts: 1, folder, stored: [] },
      ...(state !== undefined && { live: liveSession(title, state, folder) }),
    });
    const all = [
      named("other", "/w/api"),
      named("idle", "/w/web", "idle"),
      named("busy", "/w/api", "working"),
      named("asks", "/w/web", "waiting"),
    ];
    const groups = groupedMatches(
      all.map((past) => ({ past, snippet: "" })),
      ["/w/web"],
    );
    assert.deepEqual(
      groups.map(({ label, matches }) => [label, ...matches.map(({ past }) => past.title)]),
      [
        ["In progress", "asks", "busy"],
        ["web", "idle"],
        ["api", "other"],
      ],
    );
  });
});

describe("the search in conversations", () => {
  let folder: string;
  let search: HistorySearch;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-search-"));
    const said: Readonly<Record<string, string>> = {
      borrow: "Why does the borrow checker refuse this loop?",
      parser: `${"Some words before. ".repeat(20)}The parser needs a look-ahead of two tokens.`,
    };
    for (const [tabId, text] of Object.entries(said)) {
      const transcript = newTranscript(newTabState({ id: "eliza", name: "Eliza" }));
      applyChange(transcript, { op: "put", item: { kind: "text", id: "t", text } });
      await writeFile(join(folder, tabId), snapshotText(transcript, 1));
    }
    const tabs = [summaryOf("borrow", "A loop"), summaryOf("parser", "Grammar"), summaryOf("gone", "Lost file")];
    const excerpt = (): Promise<undefined> => Promise.resolve(undefined);
    search = new HistorySearch(
      tabs.map((tab) => ({ ...tab, tab, stored: [] })),
      (tabId) => join(folder, tabId),
      { excerpt, ofSession: () => Promise.resolve([]) },
    );
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("looks in the archive only on request", async () => {
    const [past] = (await search.find("borrow")).map((match) => match.past);
    const both = new HistorySearch(past ? [past, { ...past, isArchived: true, title: "Old" }] : [], String, {
      excerpt: () => Promise.resolve(undefined),
      ofSession: () => Promise.resolve([]),
    });
    const titles = async (isArchived: boolean): Promise<unknown> =>
      (await both.among(isArchived).find("")).map((match) => match.past.title);
    assert.deepEqual([await titles(false), await titles(true)], [["A loop"], ["Old"]]);
    assert.equal(emptyHistory("", 0, true).leadsTo, "all sessions");
  });

  async function found(query: string): Promise<string[]> {
    return (await search.find(query)).map(({ past }) => past.tab?.record.tabId ?? "");
  }

  it("shows every session while nothing is asked for", async () => {
    assert.deepEqual(await found("  "), ["borrow", "parser", "gone"]);
  });

  it("finds every word, in the title or in what was said, whatever its case", async () => {
    assert.deepEqual(await found("BORROW loop"), ["borrow"]);
    assert.deepEqual(await found("grammar tokens"), ["parser"]);
    assert.deepEqual(await found("lost"), ["gone"]);
    assert.deepEqual(await found("borrow tokens"), []);
  });

  it("looks for all words at once in what is kept of a session, the latest first, and stops where nobody reads on", async () => {
    const asked: unknown[] = [];
    const excerpt = (id: string, words: readonly string[]): Promise<string | undefined> => {
      asked.push([id, ...words]);
      return Promise.resolve(id === "new" ? undefined : `about ${words.join()}`);
    };
    const stored = ["new", "old"].map((id) => ({
      ...{
        id,
        session: "s",
        cwd: "/",
        title: "Trees",
        agent: "a",
        turns: 1,
        tokens: 0,
        started: 1,
        updated: 1,
        bytes: 1,
      },
    }));
    const one = { title: "Trees", agentName: "a", updatedAt: 1, prompts: 1, stored };
    const ofSession = (): Promise<never[]> => Promise.resolve([]);
    const kept = new HistorySearch([one], () => "", { excerpt, ofSession });
    const [match] = await kept.find("trees red apple");
    assert.deepEqual(
      [match?.snippet, asked],
      [
        "about red,apple",
        [
          ["new", "red", "apple"],
          ["old", "red", "apple"],
        ],
      ],
    );
    const many = new HistorySearch(Array<typeof one>(mostMatches + 1).fill(one), () => "", { excerpt, ofSession });
    const { length } = await many.find("red");
    assert.deepEqual([length, asked.length], [mostMatches, 2 + 2 * mostMatches]);
    assert.match(moreMatches(length, many.total) ?? "", /^latest 200; type to search older ones$/);
    assert.deepEqual([moreMatches(1, many.total), moreMatches(mostMatches, mostMatches)], [undefined, undefined]);
  });

  it("says that there is nothing yet and how a chat is begun, or how many there are where nothing matches", () => {
    const said = [emptyHistory("", 0), emptyHistory("nothing", 0), emptyHistory(" borrow ", 1), emptyHistory("x", 3)];
    const nothingYet = [
      "There are no conversations here yet",
      "Conversations with agents in any editor are stored unless config.jsonc turns this off. Press Enter to open a new chat.",
      "new chat",
    ];
    const searched = "Searched titles and messages. Press Enter to show";
    assert.deepEqual(
      said.map(({ label, detail, leadsTo }) => [label, detail, leadsTo]),
      [
        nothingYet,
        nothingYet,
        [`Nothing matches "borrow"`, `${searched} the only conversation.`, "all sessions"],
        [`Nothing matches "x"`, `${searched} all ${search.total} conversations.`, "all sessions"],
      ],
    );
  });

  it("quotes the place where the words are", async () => {
    const [match] = await search.find("look-ahead");
    assert.match(match?.snippet ?? "", /^….*parser needs a look-ahead of two tokens/);
  });
});
