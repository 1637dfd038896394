import assert from "node:assert/strict";
import { newTabState, newTranscript } from "../../../protocol/index.js";
import type { AbilitySession } from "../../../src/acp/client-abilities.js";
import { ReviewObserver } from "../../../src/features/review/turns/review-observer.js";

const session: AbilitySession = {
  tabId: "tab",
  sessionId: "session",
  agent: { id: "a", name: "A" },
  roots: ["/project"],
  folders: ["/project", "/other"],
  transcript: newTranscript(newTabState({ id: "a", name: "A" })),
  publish: () => undefined,
};

describe("what the review hears of sessions", () => {
  it("is each turn with all open folders, also those that its agent was not given, and each tool call with its edits; a new file's old text is none", async () => {
    const heard: unknown[] = [];
    const observer = new ReviewObserver({
      promptStarted: (...args) => Promise.resolve(void heard.push(["started", ...args])),
      toolCall: (...args) => heard.push(["tool call", ...args]),
      turnEnded: (...args) => Promise.resolve(void heard.push(["ended", ...args])),
    });
    await observer.turnStarted(session, "message");
    const call = { id: "1", kind: "edit", status: "completed", paths: ["/project/a"] };
    observer.toolCall(session, { ...call, edits: [{ path: "/project/a", newText: "1" }] });
    await observer.turnEnded(session);
    assert.deepEqual(heard, [
      ["started", "tab", "message", ["/project", "/other"]],
      ["tool call", "tab", { ...call, edits: [{ path: "/project/a", oldText: null, newText: "1" }] }],
      ["ended", "tab"],
    ]);
  });
});
