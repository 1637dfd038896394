import assert from "node:assert/strict";
import fc from "fast-check";
import { idleTurn, stepTurn, type TurnEffect, type TurnEvent, type TurnState } from "../../src/models/turn-state.js";

/** Simple model of a session that checks every step. Records who listens, and which calls wait, were emitted or were settled. */
class Ledger {
  /** Requests that listen: one at most. */
  listening = false;
  isOpen = false;
  isGivenUp = false;
  readonly waiting = new Set<string>();
  readonly emitted = new Set<string>();
  readonly settled = new Set<string>();
  kept = 0;

  check(event: TurnEvent, before: TurnState, effects: readonly TurnEffect[]): void {
    if (event.type === "called") this.waiting.add(event.call.id);
    if (event.type === "call-given-up") this.waiting.delete(event.id);
    const starts = event.type === "prompted" && before.phase === "idle";
    const goesOn = event.type === "answered" && /^awaiting/.test(before.phase);
    if (starts || goesOn) {
      assert.ok(!this.listening);
      this.listening = true;
    }
    if (starts) [this.isOpen, this.isGivenUp] = [true, false];
    if (event.type === "ended") [this.isOpen, this.isGivenUp] = [false, false];
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: TurnEffect): void {
    switch (effect.type) {
      case "emit":
        assert.ok(this.listening && !this.isGivenUp, "emitted to nobody");
        assert.equal(this.kept, 0, "overtook what was kept");
        return;
      case "keep":
        assert.ok(!this.listening, "kept from somebody who listens");
        this.kept++;
        return;
      case "drop":
        assert.ok(this.isGivenUp, "dropped what somebody would have wanted");
        return;
      case "emit-kept":
        assert.ok(this.listening);
        this.kept = 0;
        return;
      case "drop-kept":
        this.kept = 0;
        return;
      case "emit-calls":
        assert.ok(this.listening && effect.ids.length > 0);
        for (const id of effect.ids) {
          assert.ok(this.waiting.has(id) && !this.emitted.has(id), "emitted twice, or nobody's call");
          this.emitted.add(id);
        }
        return;
      case "settle":
        assert.ok(this.waiting.delete(effect.id), "settled twice, or nobody's call");
        if (effect.end !== "cancelled") assert.ok(this.emitted.has(effect.id), "a result for what was never emitted");
        this.settled.add(effect.id);
        return;
      case "end-answer":
        assert.ok(this.listening, "ended an answer that nobody waits for");
        this.listening = false;
        return;
      case "send-cancel":
        assert.ok(this.isOpen);
        this.isGivenUp = true;
        return;
      case "send-prompt":
        assert.ok(this.listening);
    }
  }
}

const ids = ["a", "b", "c", "d", "e", "f"] as const;
const anEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<TurnEvent>({ type: "prompted" }) },
  { weight: 3, arbitrary: fc.constant<TurnEvent>({ type: "said" }) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...ids), fc.constantFrom("tool" as const, "permission" as const))
      .map(([id, kind]): TurnEvent => ({ type: "called", call: { id, kind } })),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ids).map((id): TurnEvent => ({ type: "call-given-up", id })) },
  { weight: 3, arbitrary: fc.constantFrom(1, 2, 9).map((limit): TurnEvent => ({ type: "round-closed", limit })) },
  {
    weight: 3,
    arbitrary: fc.subarray([...ids]).map((some): TurnEvent => ({ type: "answered", ids: new Set<string>(some) })),
  },
  { weight: 2, arbitrary: fc.constant<TurnEvent>({ type: "ended" }) },
  { weight: 1, arbitrary: fc.constant<TurnEvent>({ type: "cancelled" }) },
);

describe("the states of a turn", () => {
  it("never lose, repeat or misdirect anything, whatever happens in whatever order", () => {
    fc.assert(
      fc.property(fc.array(anEvent, { maxLength: 60 }), (events) => {
        const ledger = new Ledger();
        let state: TurnState = idleTurn;
        let calls = 0;
        for (const drawn of events) {
          // Agents never use an id of ours twice.
          const event =
            drawn.type === "called" ? { ...drawn, call: { ...drawn.call, id: `${drawn.call.id}${calls++}` } } : drawn;
          const before = state;
          const { state: next, effects } = stepTurn(before, event);
          ledger.check(event, before, effects);
          state = next;
          assert.equal(ledger.listening, state.phase === "streaming");
          assert.equal(ledger.isOpen, state.isOpen);
          assert.deepEqual(new Set([...state.fresh, ...state.awaited].map(({ id }) => id)), ledger.waiting);
        }
        for (const event of [{ type: "cancelled" }, { type: "ended" }] as const) {
          const step = stepTurn(state, event);
          ledger.check(event, state, step.effects);
          state = step.state;
        }
        assert.deepEqual([state.phase, state.isOpen, ledger.listening], ["idle", false, false]);
        assert.equal(ledger.waiting.size, 0, "somebody waits for ever");
      }),
      { numRuns: 2_000 },
    );
  });

  it("wait for a permission where one is among the calls, else for results", () => {
    const phaseAfter = (...kinds: readonly ("tool" | "permission")[]): string => {
      let state = stepTurn(idleTurn, { type: "prompted" }).state;
      for (const [index, kind] of kinds.entries()) {
        state = stepTurn(state, { type: "called", call: { id: String(index), kind } }).state;
      }
      return stepTurn(state, { type: "round-closed", limit: 9 }).state.phase;
    };
    assert.deepEqual(
      [phaseAfter("tool", "tool"), phaseAfter("tool", "permission"), phaseAfter()],
      ["awaitingToolResult", "awaitingToolPermission", "streaming"],
    );
  });
});
