import assert from "node:assert/strict";
import fc from "fast-check";
import type { McpOutcome } from "../../src/base/mcp/mcp-server.js";
import { ToolBridge } from "../../src/models/tool-bridge.js";
import { longestToolName, mostListedTools, toolAliases, toolList } from "../../src/models/tool-list.js";
import { asObject, Json } from "../../src/base/rpc/json.js";

function numbered(count: number): readonly { readonly name: string; readonly description: string }[] {
  return Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, description: `Does number ${index}.` }));
}

describe("the names of a client's tools", () => {
  it("stay where agents take them, and are made of what they take elsewhere", () => {
    const names = ["read_file", "odd.name with spaces", "x".repeat(130), "äöü", ""];
    const aliases = toolAliases(names);
    assert.deepEqual([aliases[0], aliases[1]], ["read_file", "odd_name_with_spaces_9qol00"]);
    for (const alias of aliases) assert.match(alias, /^[A-Za-z0-9_-]{1,45}$/);
  });

  it("fit every agent's limits, lead back, and are the same in every session", () => {
    const name = fc.oneof(fc.string(), fc.stringMatching(/^[a-z._ -]{1,80}$/), fc.constantFrom("a.b", "a b", "a_b"));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
        const aliases = toolAliases(names, ["call_tool"]);
        assert.equal(new Set(aliases).size, names.length);
        for (const alias of aliases) {
          assert.match(alias, /^[A-Za-z0-9_-]+$/);
          assert.ok(alias.length <= longestToolName && `mcp__vscode_tools__${alias}`.length <= 64);
        }
        assert.deepEqual([...toolAliases([...names].reverse(), ["call_tool"])].reverse(), aliases);
      }),
    );
  });
});

describe("a client's tools before an agent", () => {
  it("are all listed up to the limit, and beyond it but for two names that stand for the rest", () => {
    const counts = [0, 1, 2, 10, 60, 100, 128, 200].map((count) => {
      const { listed, further } = toolList(numbered(count));
      return [listed.length, further.length];
    });
    assert.deepEqual(counts, [
      [0, 0],
      [1, 0],
      [2, 0],
      [10, 0],
      [60, 0],
      [mostListedTools, 0],
      [98, 30],
      [98, 102],
    ]);
  });

  it("are left out one by one, never all together", () => {
    const { listed, leftOut } = toolList([{ name: "a" }, { name: "b", inputSchema: "x" }, { name: "a" }]);
    assert.deepEqual(
      [listed.map(({ name }) => name), leftOut],
      [
        ["a"],
        [
          { name: "b", reason: "its schema is a string, not an object." },
          { name: "a", reason: "another tool has the same name." },
        ],
      ],
    );
  });

  describe("over MCP", () => {
    const called: unknown[] = [];
    let bridge: ToolBridge;
    beforeEach(() => {
      called.length = 0;
      bridge = new ToolBridge(
        {
          name: "editor",
          version: "1",
          instructions: "Tools.",
          call: (name, args) => {
            called.push([name, args]);
            return Promise.resolve("done");
          },
        },
        numbered(200),
      );
    });

    async function callTool(name: string, args: unknown): Promise<string> {
      const context = { signal: new AbortController().signal, notify: () => undefined };
      const outcome: McpOutcome = await bridge.call("tools/call", Json.of({ name, arguments: args }), context);
      const content: unknown = outcome.json.object?.["content"];
      return String(asObject((content as unknown[])[0])?.["text"]);
    }

    it("are found and called though they are not listed", async () => {
      const found = JSON.parse(await callTool("find_tools", { query: "number 150" })) as { name: string }[];
      assert.equal(found[0]?.name, "tool_150");
      await callTool("call_tool", { name: "tool_150", arguments: { a: 1 } });
      await callTool("call_tool", { name: "tool_151", arguments: '{"a": 2}' });
      await callTool("tool_3", {});
      assert.deepEqual(called, [
        ["tool_150", { a: 1 }],
        ["tool_151", { a: 2 }],
        ["tool_3", {}],
      ]);
    });

    it("are all named when a search finds none", async () => {
      assert.match(await callTool("find_tools", { query: "xyzzy" }), /^Nothing fits\. All names: tool_98, .*tool_199$/);
    });

    it("are called by the client's own name where an agent uses that", async () => {
      bridge.setTools([{ name: "odd name" }]);
      await callTool("odd name", {});
      assert.deepEqual(called, [["odd name", {}]]);
    });

    it("are announced when they change, and not when they do not", () => {
      const notes: string[] = [];
      using _subscription = bridge.subscribe((method) => notes.push(method));
      assert.deepEqual([bridge.setTools(numbered(200)), notes], [false, []]);
      assert.deepEqual([bridge.setTools(numbered(199)), notes], [true, ["notifications/tools/list_changed"]]);
    });
  });
});
