import assert from "node:assert/strict";
import { toolFilter, withoutTools } from "../../../src/context/servers/tool-filter.js";
import type { UserServer } from "../../../src/settings/user-server.js";

const server: UserServer = {
  name: "github",
  launch: { type: "http", url: "https://x.example", headers: {} },
  origin: { kind: "user" },
  isEnabled: true,
};

describe("the tools of a server that agents get", () => {
  for (const [pattern, tool, isMatched] of [
    ["list", "list", true],
    ["list", "lists", false],
    ["list_*", "list_issues", true],
    ["*_issue*", "get_issue_comments", true],
    ["*", "anything", true],
    ["a*a", "a", false],
    ["a*b*c", "a-c-b", false],
    ["*.x", "axx", false],
  ] as const) {
    it(`${pattern} ${isMatched ? "is" : "is not"} ${tool}`, () => {
      assert.deepEqual(
        [toolFilter({ tools: [pattern] })(tool), toolFilter({ excludeTools: [pattern] })(tool)],
        [isMatched, !isMatched],
      );
    });
  }

  it("are found in no time, whatever the pattern", () => {
    assert.equal(toolFilter({ tools: [`${"*a".repeat(2_000)}b`] })("a".repeat(4_000)), false);
  });

  it("are not those that a project switches off", () => {
    const filter = toolFilter(withoutTools(server, ["github/delete_*", "git*/push", "other/list", "list"]));
    assert.deepEqual(["delete_repo", "push", "list"].map(filter), [false, false, true]);
    assert.equal(withoutTools(server, ["other/*"]), server);
  });

  it("are not those that are switched off of a server with a slash in its name", () => {
    const named = { ...server, name: "io.github.x/y" };
    const filter = toolFilter(withoutTools(named, ["io.github.x/y/push", "io.*/y/list_*", "io.github.x/y"]));
    assert.deepEqual(["push", "list_all", "y", "push/all"].map(filter), [false, false, true, true]);
  });
});
