import assert from "node:assert/strict";
import { applyChange, type Change, newTabState, newTranscript } from "../../../protocol/index.js";
import { PlanAndNoticeFold } from "../../../src/acp/plan-and-notice-fold.js";

describe("folding plans", () => {
  it("shows no step as in progress when its turn is over", () => {
    const transcript = newTranscript(newTabState({ id: "agent", name: "Agent" }));
    let ids = 0;
    const cards = new PlanAndNoticeFold({
      transcript,
      publish: (change: Change) => applyChange(transcript, change),
      roots: ["/project"],
      now: () => 0,
      newId: () => `id-${++ids}`,
    });
    const plan = (...states: readonly string[]): boolean =>
      cards.plan({ entries: states.map((status, at) => ({ content: `step ${at}`, priority: "medium", status })) });
    const states = (): unknown =>
      transcript.items.map((item) => (item.kind === "plan" ? item.entries.map(({ status }) => status) : item.kind));
    plan("completed", "in_progress", "pending");
    cards.turnEnded();
    const stopped = states();
    cards.turnStarted();
    plan("completed", "in_progress");
    assert.deepEqual(
      [stopped, states()],
      [
        [["completed", "pending", "pending"]],
        [
          ["completed", "pending", "pending"],
          ["completed", "in_progress"],
        ],
      ],
    );
  });
});
