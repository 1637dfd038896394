import assert from "node:assert/strict";
import { freeName, worktreeName } from "../../../src/features/worktrees/worktree-names.js";

describe("the name of a worktree", () => {
  it("is made of the words of the first line, short and safe for folders and branches", () => {
    const names = {
      "Fix the tax of ../the cart!\nand more": "fix-the-tax-of-the-cart",
      "Café über alles": "cafe-uber-alles",
      ["a".repeat(60)]: "a".repeat(40),
      "Rename every variable of the whole project to snake case": "rename-every-variable-of-the-whole",
      日本語: "task",
      CON: "task",
      "": "task",
      "-rf .lock": "rf-lock",
    };
    assert.deepEqual(Object.keys(names).map(worktreeName), Object.values(names));
  });

  it("gets a number where it is taken", () => {
    assert.equal(
      freeName("a", (name) => ["a", "a-2"].includes(name)),
      "a-3",
    );
    assert.equal(
      freeName("b", () => false),
      "b",
    );
  });
});
