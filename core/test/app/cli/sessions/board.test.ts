import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { boardRows, boardSummary } from "../../../../src/app/cli/sessions/board-rows.js";
import { BoardScreen } from "../../../../src/app/cli/sessions/board-screen.js";
import { type ListedConversation, listedConversations } from "../../../../src/app/cli/sessions/live-and-stored.js";
import { Style } from "../../../../src/app/cli/style.js";
import { liveSession, storedSession } from "./conversation-fixtures.js";

const plain = new Style(false);
const conversations = listedConversations(
  [
    storedSession("a", "/home/me/api", "Fix the parser and its tests", 12_400),
    storedSession("b", "/home/me/api"),
    storedSession("c", "/srv/web"),
  ],
  [
    liveSession("b", "/home/me/api", "idle"),
    liveSession("c", "/srv/web", "waiting"),
    liveSession("d", "/w", "working"),
  ],
);

function lines(columns: number, hasIds: boolean): readonly string[] {
  const look = { columns, hasIds, style: plain, now: 3 * 3_600_000, homeFolder: "/home/me" };
  return boardRows(conversations, look).map(({ text }) => text);
}

describe("the board's lines", () => {
  it("begin with waiting and working sessions, and show ids in full", () => {
    assert.deepEqual(lines(Infinity, true), [
      "  state    id  agent  age  tokens  title",
      "/srv/web",
      "waiting  c   Eliza  2h           Stored c",
      "/w",
      "working  d   Codex  2h           (no title)",
      "~/api",
      "idle     b   Eliza  2h           Stored b",
      "         a   Eliza  2h   12K     Fix the parser and its tests",
    ]);
    assert.equal(boardSummary(conversations), "1 waiting, 1 working, 2 others");
  });

  it("show a measured worktree with its size", () => {
    const [one] = listedConversations([storedSession("a", "/w/fix")], []);
    const look = { columns: 80, hasIds: false, style: plain, now: 3_600_000, homeFolder: "/home/me" };
    const rows = boardRows(one ? [{ ...one, worktree: { name: "fix", bytes: 12_340_000 } }] : [], look);
    assert.deepEqual(
      rows.map(({ text }) => text),
      ["  agent  age  worktree     title", "/w/fix", "Eliza  59m  fix 12.3 MB  Stored a"],
    );
  });

  it("are cut to a narrow terminal, without tokens", () => {
    assert.deepEqual(lines(34, false).slice(-2), ["idle     Eliza  2h   Stored b", "         Eliza  2h   Fix the pa…"]);
  });
});

/** A board whose keys the test types. */
class TypedBoard {
  readonly input = new PassThrough();
  readonly output = Object.assign(new PassThrough(), { columns: 60, rows: 12 });
  readonly done: string[] = [];
  shown: readonly ListedConversation[] = conversations;
  readonly screen = new BoardScreen({
    input: this.input,
    output: this.output,
    style: plain,
    homeFolder: "/home/me",
    load: () => Promise.resolve(this.shown),
    stop: ({ title, live }) => {
      this.done.push(`stop ${title}`);
      this.shown = this.shown.filter((one) => one.live !== live);
      return Promise.resolve();
    },
    archive: ({ title }) => Promise.resolve(this.done.push(`archive ${title}`) > 0 ? "is archived" : ""),
    remove: ({ title }) => Promise.resolve(this.done.push(`delete ${title}`) > 0),
    refreshMs: 5,
  });

  /** Resolves with the first drawing from now on that contains `text`. */
  async shows(text: string): Promise<string> {
    for await (const chunk of this.output.iterator({ destroyOnReturn: false })) {
      const drawn = String(chunk);
      if (drawn.includes(text)) return drawn;
    }
    return "";
  }
}

describe("the board on a terminal", () => {
  it("opens the selected conversation, and restores the terminal", async () => {
    const board = new TypedBoard();
    const chosen = board.screen.run();
    await board.shows("> waiting  Eliza");
    board.input.write("\u001b[B");
    await board.shows("> working");
    board.input.write("\r");
    assert.equal((await chosen)?.live?.sessionId, "d");
    assert.equal(await board.shows("\u001b[?1049l"), "\u001b[?25h\u001b[?1049l");
  });

  it("stops a session, and shows the others without a key", async () => {
    const board = new TypedBoard();
    const chosen = board.screen.run();
    await board.shows("> waiting");
    board.input.write("\u0013");
    board.input.write("s");
    assert.match(await board.shows('Stopping "Stored c".'), /Conversations: 1 working, 2 others/);
    board.shown = [];
    await board.shows("Conversations: none");
    board.input.write("q");
    assert.equal(await chosen, undefined);
    assert.deepEqual(board.done, ["stop Stored c"]);
  });

  it("archives only conversations that aren't live", async () => {
    const board = new TypedBoard();
    const chosen = board.screen.run();
    await board.shows("> waiting");
    board.input.write("a");
    await board.shows("It is live. Stop it first.");
    board.shown = conversations.filter(({ live }) => !live);
    await board.shows("Conversations: 1 other");
    board.input.write("a");
    await board.shows('"Fix the parser and its tests" is archived.');
    board.input.write("q");
    assert.equal(await chosen, undefined);
    assert.deepEqual(board.done, ["archive Fix the parser and its tests"]);
  });

  it("deletes only stored conversations, after a question", async () => {
    const board = new TypedBoard();
    const chosen = board.screen.run();
    await board.shows("> waiting");
    board.input.write("d");
    await board.shows("It is live. Stop it first.");
    board.input.write("jjjd");
    await board.shows('Delete "Fix the parser and its tests"? y/N');
    board.input.write("n");
    await board.shows("q leave");
    board.input.write("dy");
    await board.shows('"Fix the parser and its tests" is deleted.');
    board.input.write("\u0003");
    assert.equal(await chosen, undefined);
    assert.deepEqual(board.done, ["delete Fix the parser and its tests"]);
  });
});
