import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TabRecord } from "../../../src/features/chat/tab-transcript.js";
import { liveSession, StoredWindow } from "./stored-window.js";

const there = { on: "ssh:build", folder: "/srv" };

describe("the list of conversations", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-history-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Opens a tab with a prompt; without an end, closing it leaves its turn to the host. */
  async function prompted(window: StoredWindow, record: Partial<TabRecord>, hasEnd = false): Promise<void> {
    const tab = window.open(`tab-${record.sessionId}`, record);
    tab.transcript.publish({ op: "tab", patch: { title: `Tab ${record.sessionId}` } });
    tab.transcript.publish({ op: "put", item: { kind: "user", id: "u", text: "Go on", attachments: [] } });
    if (!hasEnd) tab.transcript.publish({ op: "tab", patch: { phase: "running", turnStartedAt: 1 } });
    await window.close(tab);
  }

  it("has the host's sessions that no tab shows and that aren't stored, and attaches to them", async () => {
    const empty = { ...liveSession("empty", "idle"), title: "" };
    const live = [liveSession("a", "idle"), liveSession("b", "waiting"), liveSession("open", "working"), empty];
    await using window = new StoredWindow({ folder, live });
    window.open("tab-open", { sessionId: "open" });
    const found = await (await window.history.search()).find("");
    assert.deepEqual(
      found.map(({ past }) => [past.title, past.agentName, past.folder, past.live?.state]),
      [
        ["Live b", "Codex", "/project", "waiting"],
        ["Live a", "Codex", "/project", "idle"],
      ],
    );
    const opened = found[0] && (await window.history.open(found[0].past));
    const { createdAt: _createdAt, ...record } = opened?.record ?? {};
    assert.deepEqual(
      [record, opened?.runsInHost, opened?.transcript.transcript.state.title],
      [{ tabId: "kept-b", sessionId: "b", folder: "/project", isHosted: true }, true, "Live b"],
    );
  });

  it("has the state of chats on other machines that are open or were closed in a turn", async () => {
    const sessions = ["closed", "others"].map((id) => liveSession(id, "waiting", "/srv"));
    const elsewhere = { "ssh:build": { sessions }, "ssh:bare": { missing: "no command" } };
    await using window = new StoredWindow({ folder, elsewhere });
    await prompted(window, { sessionId: "closed", machine: there });
    await prompted(window, { sessionId: "ended", machine: { on: "ssh:ended", folder: "/srv" } }, true);
    for (const on of ["ssh:off", "ssh:bare"]) window.open(`tab-${on}`, { machine: { on, folder: "/srv" } });
    const live = await window.history.elsewhere();
    assert.deepEqual(
      window.told,
      ["ssh:off", "ssh:bare", "ssh:build"].map((on) => `host status --on ${on} --json`),
    );
    const found = await (await window.history.search(live)).find("");
    assert.deepEqual(
      found.map(({ past }) => [past.title, past.live?.state]),
      [
        ["Tab closed", "waiting"],
        ["Live others", "waiting"],
        ["Tab ended", undefined],
      ],
    );
    const opened = found[1] && (await window.history.open(found[1].past));
    assert.deepEqual([opened?.record.machine, opened?.record.folder], [there, undefined]);
  });
});
