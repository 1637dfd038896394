import assert from "node:assert/strict";
import { type CallHabits, ToolRoundEnd } from "../../src/models/tool-round-end.js";

describe("a round of calls", () => {
  let habits: CallHabits;
  let round: ToolRoundEnd;
  beforeEach(() => {
    habits = {};
    round = new ToolRoundEnd(habits);
  });

  /** The round is told, and its results come back. */
  function finishRound(): void {
    round.close();
    round.answered();
  }

  it("is waited for longest while calls are to come that the agent has told of", () => {
    round.announce("1", "a");
    round.announce("2", "b");
    round.call("a");
    const waiting = round.quietMs;
    round.call("b");
    assert.ok(round.quietMs < waiting);
  });

  it("is soon over where the agent is known to tell of its calls, and all have come", () => {
    const unknown = round.quietMs;
    round.announce("1", "a");
    round.call("a");
    finishRound();
    round.reset();
    round.announce("2", "a");
    round.call("a");
    assert.ok(round.quietMs < unknown);
  });

  it("counts a call that overtakes its announcement, and an announcement that is repeated, once", () => {
    round.announce("0", "z");
    round.call("z");
    const settled = round.quietMs;
    round.call("a");
    assert.ok(round.quietMs > settled);
    round.announce("1", "a");
    round.announce("1", "a");
    assert.equal(round.quietMs, settled);
  });

  it("is not waited for in vain again of an agent that makes one call after the other", () => {
    round.announce("1", "a");
    round.announce("2", "b");
    round.call("a");
    const waiting = round.quietMs;
    finishRound();
    assert.equal(habits.isSerial, true);
    round.call("b");
    round.announce("3", "c");
    assert.ok(round.quietMs < waiting);
  });

  it("shows by a call before the results that the agent makes several at once", () => {
    habits.isSerial = true;
    round.announce("1", "a");
    round.call("a");
    round.close();
    round.call("b");
    assert.equal(habits.isSerial, false);
  });

  it("forgets what was announced and given up", () => {
    round.announce("1", "a");
    round.announce("2", "b");
    round.call("a");
    const waiting = round.quietMs;
    round.finish("2");
    assert.ok(round.quietMs < waiting);
  });

  it("learns that an agent tells of nothing", () => {
    round.call("a");
    finishRound();
    assert.equal(habits.announces, false);
  });
});
