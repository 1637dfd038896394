import assert from "node:assert/strict";
import { mcpToolsOf } from "../../../src/base/acp/mcp-tool-call.js";

const servers = ["github", "my server"];
const shown = (call: object): readonly string[] =>
  mcpToolsOf(call as Readonly<Record<string, unknown>>, servers).map(({ server, tool }) => `${server}/${tool}`);

describe("the tool of an MCP server that a call is", () => {
  it("is read in the forms of all agents", () => {
    assert.deepEqual(
      [
        { title: "x", _meta: { claudeCode: { toolName: "mcp__github__get_issue" } } },
        { title: '{"id":1}', _meta: { toolName: "mcp__github__get_issue" } },
        { title: "x", _meta: { is_mcp_tool_call: true }, rawInput: { server: "github", tool: "get_issue" } },
        { title: "get_issue (github MCP Server)" },
        { title: "x", toolCallId: "mcp_github_get_issue__17" },
        { title: "github_get_issue" },
        { title: "github-get_issue" },
      ].map(shown),
      Array.from({ length: 7 }, () => ["github/get_issue"]),
    );
  });

  it("is none for calls of the agent's own tools", () => {
    for (const title of ["Read src/a.ts", "git push", "github", "`curl x`", "githubber"]) {
      assert.deepEqual(shown({ title }), [], title);
    }
  });

  it("is all of what an ambiguous name may be, and the given name of a server that agents write in other characters", () => {
    assert.deepEqual(shown({ title: "mcp__a__b__c" }), ["a/b__c", "a__b/c"]);
    assert.deepEqual(shown({ title: "mcp__my_server__do" }), ["my_server/do", "my server/do"]);
  });
});
