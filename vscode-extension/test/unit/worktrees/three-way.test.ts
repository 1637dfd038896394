import assert from "node:assert/strict";
import fc from "fast-check";
import { merge } from "../../../src/features/worktrees/three-way.js";

const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\r\n", "d\n"), { maxLength: 12 }).map((all) => all.join(""));
const file = fc.option(lines, { nil: null });
import { theirAnswer } from "../../../src/features/worktrees/conflict-place.js";

describe("the merge of three texts", () => {
  it("takes what one side alone changed, and what both changed alike", () => {
    fc.assert(
      fc.property(file, file, (base, other) => {
        assert.deepEqual(merge(base, base, other), { text: other, conflicts: [] });
        assert.deepEqual(merge(base, other, base), { text: other, conflicts: [] });
        assert.deepEqual(merge(base, other, other), { text: other, conflicts: [] });
      }),
    );
  });

  it("brings both sides' changes together where an equal line is between them", () => {
    const base = "1\n2\n3\n4\n5\n";
    assert.deepEqual(merge(base, "eins\n2\n3\n4\n5\n", "1\n2\n3\nvier\n5\n6\n"), {
      text: "eins\n2\n3\nvier\n5\n6\n",
      conflicts: [],
    });
  });

  it("leaves ours where both changed the same lines, and says what theirs would be", () => {
    assert.deepEqual(merge("1\n2\n3\n4\n5\n", "1\nzwei\n3\n4\n5\n", "1\ndeux\n3\n4\ncinq\n"), {
      text: "1\nzwei\n3\n4\ncinq\n",
      conflicts: [{ start: 1, ours: "zwei\n", theirs: "deux\n", isWhole: false }],
    });
  });

  it("has a conflict of the whole file where one side removed what the other changed, and for what is no text", () => {
    const whole = (ours: string | null, theirs: string | null) => ({
      text: ours,
      conflicts: [{ start: 0, ours, theirs, isWhole: true }],
    });
    assert.deepEqual(merge("a\n", null, "b\n"), whole(null, "b\n"));
    assert.deepEqual(merge("a\n", "b\n", null), whole("b\n", null));
    assert.deepEqual(merge(null, "a\n", "b\n"), whole("a\n", "b\n"));
    assert.deepEqual(merge("\0file 1", "\0file 2", "\0file 3"), whole("\0file 2", "\0file 3"));
  });

  it("keeps every line that ours added, whatever theirs is, and finds its conflicts in the merged text", () => {
    fc.assert(
      fc.property(lines, fc.array(fc.nat(12), { maxLength: 4 }), lines, (base, places, theirs) => {
        const own = base.split(/(?<=\n)/);
        places.forEach((place, index) => own.splice(Math.min(place, own.length), 0, `mine ${index}\n`));
        const { text, conflicts } = merge(base, own.join(""), theirs);
        for (const [index] of places.entries()) assert.ok(text?.includes(`mine ${index}\n`));
        const merged = (text ?? "").split(/(?<=\n)/);
        for (const { start, ours, isWhole } of conflicts)
          if (!isWhole)
            assert.ok(
              merged
                .slice(start)
                .join("")
                .startsWith(ours ?? ""),
            );
      }),
    );
  });
});

describe("the button that accepts the other side of a conflict", () => {
  const titles = (ours: string, theirs: string | null): string[] =>
    merge("one\n", ours, theirs).conflicts.map((conflict) => theirAnswer(conflict));

  it("says that it deletes the file", () => {
    assert.deepEqual(titles("mine\n", null), ["Delete File"]);
  });

  it("takes the other side's lines, even when there are none", () => {
    assert.deepEqual(titles("mine\n", "theirs\n"), ["Use Worktree Version"]);
    assert.deepEqual(titles("mine\n", ""), ["Use Worktree Version"]);
  });
});
