import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { labelBelow } from "../../../src/features/review/marks/file-label.js";

describe("the label of a changed file in a worktree", () => {
  const root = resolve("/shop.worktrees/fix");

  it("is its path below the worktree", () => {
    assert.equal(labelBelow(root, join(root, "src", "cart.ts")), "src/cart.ts");
    assert.equal(labelBelow(root, join(root, "..cart.ts")), "..cart.ts");
  });

  it("is left to the editor outside of the worktree", () => {
    const others = [root, resolve(root, ".."), resolve(`${root}-2`, "cart.ts"), resolve("/shop/src/cart.ts")];
    assert.deepEqual(
      others.map((path) => labelBelow(root, path)),
      others.map(() => undefined),
    );
  });
});
