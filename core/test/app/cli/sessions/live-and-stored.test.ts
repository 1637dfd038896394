import assert from "node:assert/strict";
import { listedConversations } from "../../../../src/app/cli/sessions/live-and-stored.js";
import { liveSession as live, storedSession as stored } from "./conversation-fixtures.js";

describe("listed conversations", () => {
  it("match live sessions by session and folder, and begin with those that aren't stored", () => {
    const [one, other, untitled] = [stored("a", "/x"), stored("a", "/y"), stored("b", "/x", "")];
    const sessions = [
      live("a", "/y", "waiting"),
      live("b", "/x", "working", "Fix it"),
      live("c", "/x", "idle", "Older"),
      live("d", "/x", "failed", "", 8),
      live("e", "/x", "idle"),
    ];
    const [waiting, working, older, failed] = sessions;
    assert.deepEqual(listedConversations([one, other, untitled], sessions), [
      { title: "", cwd: "/x", updated: 8, live: failed },
      { title: "Older", cwd: "/x", updated: 7, live: older },
      { title: "Stored a", cwd: "/x", updated: 5, stored: one },
      { title: "Stored a", cwd: "/y", updated: 7, stored: other, live: waiting },
      { title: "Fix it", cwd: "/x", updated: 7, stored: untitled, live: working },
    ]);
  });
});
