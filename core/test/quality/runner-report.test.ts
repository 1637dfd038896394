import assert from "node:assert/strict";
import { isFalseVerdict, missingSignals, runnerCases } from "./runner-recordings.js";

const bytes = (text: string): number => Buffer.byteLength(text);

describe("what run_tests and check tell of recorded runs", () => {
  for (const one of runnerCases()) {
    const { recording, ours, shell, agent, isCheck } = one;
    const name = `${recording.runner} ${recording.name}`;

    it(`has every signal that is planted in ${name}, and its verdict`, () => {
      assert.deepEqual(missingSignals(recording.signals, ours), [], ours);
      assert.equal(isFalseVerdict(one), false, ours);
    });

    it(`is not much longer than what a shell shows of ${name}`, () => {
      assert.ok(bytes(ours) <= bytes(shell) + 120, `${bytes(ours)} of ${bytes(shell)} bytes:\n${ours}`);
    });

    // Bun says nothing at all to agents of a run that leaves, which cannot be outdone.
    const isSilent = recording.runner === "bun" && agent?.trim().split("\n").length === 1;
    if (agent !== undefined && !isSilent) {
      it(`is not longer than what the runner writes for agents of ${name}`, () => {
        // Linters have nothing like a first line that says how they ended, which is ours to say.
        const most = bytes(agent) + (isCheck ? ours.search(/\n|$/) + 1 : 0);
        assert.ok(bytes(ours) <= most, `${bytes(ours)} of ${bytes(agent)} bytes:\n${ours}`);
      });
    }
  }
});
