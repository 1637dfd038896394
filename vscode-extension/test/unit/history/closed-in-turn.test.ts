import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNotice } from "../../../src/acp/conversation-notices.js";
import { hasOpenTurn } from "../../../src/acp/interrupted-turn.js";
import { liveSession, StoredWindow } from "./stored-window.js";

const at = 1_700_000_000_000;
const sessionId = "session-1";

describe("a tab that was closed in a turn of the host", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-history-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function closeInTurn(): Promise<void> {
    await using window = new StoredWindow({ folder, isHosted: true });
    const tab = window.open("tab", { sessionId });
    tab.transcript.publish({ op: "put", item: { kind: "user", id: "u", text: "Go on", attachments: [] } });
    tab.transcript.publish({ op: "put", item: { kind: "text", id: "a", text: "It " } });
    const queue = [{ messageId: "q", text: "Then stop", attachments: [] }];
    tab.transcript.publish({ op: "tab", patch: { phase: "running", turnStartedAt: at + 20, queue } });
    await window.close(tab);
  }

  /** Stores the conversation as the session's conductor does. */
  async function store(...ends: readonly object[]): Promise<void> {
    const chunk = (text: string): object => {
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      return { at: at + 2, update: { sessionId, update } };
    };
    const lines = [
      { version: 1, session: sessionId, cwd: folder, agent: "kept-eliza", client: "symposium-vscode", started: at },
      { at: at + 1, turn: 1, prompt: [{ type: "text", text: "Go on" }] },
      ...[chunk("It "), chunk("ended."), ...ends],
    ];
    await mkdir(join(folder, "sessions"));
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await writeFile(join(folder, "sessions", "20231114221320-session.jsonl"), text);
  }

  const summary = { title: "Go on", agent: "kept-eliza", turns: 1, tokens: 0 };
  const end = { at: at + 3, turn: 1, end: { stopReason: "end_turn" }, summary };

  /** Loads the tab in a new window. Returns its first id, its texts and the length of its queue. */
  async function shown(inHost: boolean): Promise<readonly unknown[]> {
    await using window = new StoredWindow({ folder, isHosted: true, inHost: () => inHost });
    const summary = await window.archive.summary("tab");
    const loaded = summary && (await window.history.load(summary));
    const { items = [], state } = loaded?.transcript.transcript ?? {};
    const said = items.map((item) => {
      if (item.kind === "turn-end") return item.stopReason;
      return item.kind === "user" || item.kind === "text" ? item.text : item.kind;
    });
    return [items[0]?.id, ...said, state?.queue.length];
  }

  it("keeps its own transcript, with which the turn goes on when the tab is opened again", async () => {
    await closeInTurn();
    await using window = new StoredWindow({ folder, isHosted: true });
    await window.history.settle();
    assert.equal((await readdir(folder)).includes("sessions"), false);
    const [found] = await (await window.history.search()).find("Go on");
    assert.ok(found);
    const opened = await window.history.open(found.past);
    assert.equal(opened && hasOpenTurn(opened.transcript.transcript), true);
    opened?.transcript.publish({ op: "put", item: startNotice("Eliza", new Error("no network")) });
    assert.equal(opened && hasOpenTurn(opened.transcript.transcript), true, "a failed start doesn't end the turn");
  });

  it("shows the answer that the turn gave later, once the host no longer has the session", async () => {
    await closeInTurn();
    await store(end);
    assert.deepEqual(await shown(false), ["u", "Go on", "It ended.", "end_turn", 1]);
  });

  it("shows its own transcript while the host has the session, or if the turn has no end in the store", async () => {
    const own = ["u", "Go on", "It ", "interrupted", 1];
    await closeInTurn();
    await store();
    assert.deepEqual(await shown(false), own);
    await rm(join(folder, "sessions"), { recursive: true });
    await store(end);
    assert.deepEqual(await shown(true), own);
  });

  it("is moved to the store once the turn has ended there and the host no longer has the session", async () => {
    await closeInTurn();
    await store(end);
    for (const inHost of [true, false]) {
      await using window = new StoredWindow({ folder, isHosted: true, inHost: () => inHost });
      await window.history.settle();
      const summary = await window.archive.summary("tab");
      const isMoved = summary?.conversation !== undefined;
      assert.deepEqual([isMoved, summary?.record.draft?.text], [!inHost, inHost ? undefined : "Then stop"]);
    }
    const [, ...said] = await shown(false);
    assert.deepEqual(said, ["Go on", "It ended.", "end_turn", 0]);
  });

  it("is known to run in the host where another window opens it from the store", async () => {
    const runs: unknown[] = [];
    for (const [ends, inHost] of [
      [[], true],
      [[], false],
      [[end], true],
    ] as const) {
      await store(...ends);
      const live = inHost ? [liveSession(sessionId, "working")] : [];
      await using window = new StoredWindow({ folder, live });
      const [found] = await (await window.history.search()).find("Go on");
      const opened = found && (await window.history.open(found.past));
      runs.push([opened?.record.sessionId, opened?.runsInHost, opened?.record.isHosted]);
      await rm(join(folder, "sessions"), { recursive: true });
    }
    assert.deepEqual(runs, [
      [sessionId, true, true],
      [sessionId, undefined, undefined],
      [sessionId, undefined, true],
    ]);
  });
});
