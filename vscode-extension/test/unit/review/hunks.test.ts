import assert from "node:assert/strict";
import { diffArrays } from "diff";
import fc from "fast-check";
import { differences } from "../../../src/features/review/hunks/hunks.js";

describe("where two texts differ", () => {
  const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d\n"), { maxLength: 30 });

  it("is told by ranges with equal lines between them, as many as there can be", () => {
    fc.assert(
      fc.property(lines, lines, (base, current) => {
        const ranges = differences(base, current);
        let [at, baseAt, equal] = [0, 0, 0];
        for (const { baseStart, baseEnd, start, end } of [
          ...ranges,
          { baseStart: base.length, baseEnd: base.length, start: current.length, end: current.length },
        ]) {
          assert.deepEqual(current.slice(at, start), base.slice(baseAt, baseStart));
          equal += start - at;
          [at, baseAt] = [end, baseEnd];
        }
        const most = diffArrays(base, current).filter(({ added, removed }) => !added && !removed);
        assert.equal(
          equal,
          most.reduce((sum, { value }) => sum + value.length, 0),
        );
        assert.ok(ranges.every(({ start }, index) => index === 0 || start > (ranges[index - 1]?.end ?? 0)));
      }),
    );
  });

  it("is told apart in a file of which a formatter changed nearly every line", () => {
    const base = Array.from({ length: 20_000 }, (_, line) => `  line ${line}\n`);
    const current = base.map((line, at) => (at % 10 === 0 ? line : `\t${line.trim()}\n`));
    assert.equal(differences(base, current).length, 2_000);
  });
});
