import assert from "node:assert/strict";
import { askUntilUnchanged } from "../../../src/features/worktrees/ask-until-unchanged.js";

/** Asks about one thing after the other, as each look finds them; `answers` are the user's. */
async function asked(things: readonly (readonly string[] | undefined)[], answers: readonly (string | undefined)[]) {
  const found = [...things];
  const given = [...answers];
  const questions: unknown[] = [];
  const agreed = await askUntilUnchanged({
    look: () => Promise.resolve(found.shift()),
    ask: (thing, isOther) => {
      questions.push([thing, isOther]);
      return Promise.resolve(given.shift());
    },
  });
  return { agreed, questions };
}

describe("what the user is asked about", () => {
  it("is done as it was agreed to where it is the same after the answer", async () => {
    assert.deepEqual(await asked([["a"], ["a"]], ["yes"]), {
      agreed: { found: ["a"], answer: "yes" },
      questions: [[["a"], false]],
    });
  });

  it("is asked again, as what it is then, each time that it is another after the answer", async () => {
    assert.deepEqual(await asked([["a"], ["b"], ["c"], ["c"]], ["yes", "yes", "no"]), {
      agreed: { found: ["c"], answer: "no" },
      questions: [
        [["a"], false],
        [["b"], true],
        [["c"], true],
      ],
    });
  });

  it("is left alone where the user does not want it, or there is nothing of it any more", async () => {
    assert.deepEqual(await asked([["a"], ["b"]], ["yes", undefined]), {
      agreed: undefined,
      questions: [
        [["a"], false],
        [["b"], true],
      ],
    });
    assert.deepEqual(await asked([["a"], undefined], ["yes"]), { agreed: undefined, questions: [[["a"], false]] });
    assert.deepEqual(await asked([undefined], []), { agreed: undefined, questions: [] });
  });
});
