import assert from "node:assert/strict";
import { ToolGrants } from "../../src/guard/tool-grants.js";

const asked = (rawInput: unknown, tool = "run"): Parameters<ToolGrants["add"]>[1] => ({
  kind: "other",
  rawInput,
  locations: [],
  tools: [{ server: "srv", tool }],
});

describe("what a user has allowed of tools", () => {
  it("is one call with these very arguments, in whatever order its members stand", () => {
    for (const [allowed, called, isSame] of [
      [{ a: 1, b: { c: [2] } }, { b: { c: [2] }, a: 1 }, true],
      [undefined, {}, true],
      [{ a: 1 }, { a: "1" }, false],
      [{ x: [["a", 1]] }, { x: { a: 1 } }, false],
      [{ server: "srv", tool: "run", arguments: { a: 1 } }, { a: 1 }, true],
      [{ server: "other", tool: "run", arguments: { a: 1 } }, { a: 1 }, false],
    ] as const) {
      const grants = new ToolGrants();
      grants.add("s", asked(allowed));
      assert.equal(grants.take("t", asked(called)), false, "another session");
      assert.equal(grants.take("s", asked(called, "other")), false, "another tool");
      assert.equal(grants.take("s", asked(called)), isSame, JSON.stringify([allowed, called]));
      assert.equal(grants.take("s", asked(called)), false, "a second time");
    }
  });

  it("is nothing where a name stands for several tools", () => {
    const grants = new ToolGrants();
    const tools = [
      { server: "srv", tool: "run" },
      { server: "srv__run", tool: "x" },
    ];
    grants.add("s", { ...asked({}), tools });
    assert.equal(grants.take("s", asked({})), false);
  });
});
