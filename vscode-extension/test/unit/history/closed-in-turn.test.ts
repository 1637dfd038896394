import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasOpenTurn } from "../../../src/acp/interrupted-turn.js";
import { StoredWindow } from "./stored-window.js";

describe("a tab that was closed in a turn of the host", () => {
  it("keeps its own transcript, with which the turn goes on when the tab is opened again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "symposium-history-"));
    try {
      await using window = new StoredWindow({ folder, isHosted: true });
      const tab = window.open("tab");
      tab.transcript.publish({ op: "put", item: { kind: "user", id: "u", text: "Go on", attachments: [] } });
      tab.transcript.publish({ op: "tab", patch: { phase: "running", turnStartedAt: 1_700_000_000_020 } });
      await window.close(tab);
      await window.history.settle();
      assert.equal((await readdir(folder)).includes("sessions"), false);
      const [found] = await (await window.history.search()).find("Go on");
      assert.ok(found);
      const opened = await window.history.open(found.past);
      assert.equal(opened && hasOpenTurn(opened.transcript.transcript), true);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
