import assert from "node:assert/strict";
import { ownToolOf } from "../../../src/base/acp/mcp-tool-call.js";

const names = new Set(["shout", "read_file"]);

describe("a tool call of an agent", () => {
  const written: readonly (readonly [agent: string, toolCall: Readonly<Record<string, unknown>>])[] = [
    ["Claude", { title: "mcp__vscode_tools__shout", kind: "other" }],
    ["Claude, by its own mark", { title: "Shout", _meta: { claudeCode: { toolName: "mcp__vscode_tools__shout" } } }],
    ["OpenCode", { title: "vscode_tools_shout", kind: "other" }],
    ["Gemini", { title: "shout (vscode_tools MCP Server)", kind: "other" }],
    [
      "Gemini, with arguments for a title",
      { title: "ls", toolCallId: "mcp_vscode_tools_shout__mcp_vscode_tools_shout_17_0" },
    ],
    ["Codex", { title: "vscode_tools.shout" }],
    [
      "Codex, as a command",
      {
        title: "mcp.vscode_tools.shout",
        kind: "execute",
        rawInput: { server: "vscode_tools", tool: "shout", arguments: {} },
        _meta: { is_mcp_tool_call: true },
      },
    ],
    ["Eliza", { title: "vscode_tools::shout" }],
    ["Copilot", { title: "vscode_tools-shout", kind: "other" }],
    ["Copilot of old", { title: "vscode_tools/shout", kind: null }],
    ["Qwen", { title: '{"text":"ls"}', kind: "other", _meta: { toolName: "mcp__vscode_tools__shout" } }],
    ["others, by the tool's name", { title: "Shout!", name: "vscode_tools_shout" }],
  ];
  for (const [agent, toolCall] of written) {
    it(`is known as the client's as ${agent} writes it`, () => {
      assert.equal(ownToolOf(toolCall, "vscode_tools", names), "shout");
    });
  }

  const others: readonly Readonly<Record<string, unknown>>[] = [
    { title: "vscode_tools_shout", kind: "execute" },
    { title: "vscode_tools_whisper" },
    { title: "rm -rf / # vscode_tools_shout" },
    { title: "my_vscode_tools_shout" },
    { title: "shout" },
    { title: "mcp__other__shout" },
    { title: "ls", toolCallId: "mcp_vscode_tools_whisper__17" },
    { kind: "execute", rawInput: { server: "vscode_tools", tool: "shout" } },
    { rawInput: { server: "other", tool: "shout" }, _meta: { is_mcp_tool_call: true } },
    {
      title: "vscode_tools_shout",
      rawInput: { server: "vscode_tools", tool: "rm" },
      _meta: { is_mcp_tool_call: true },
    },
    {},
  ];
  for (const toolCall of others) {
    it(`is not taken for the client's by ${JSON.stringify(toolCall)}`, () => {
      assert.equal(ownToolOf(toolCall, "vscode_tools", names), undefined);
    });
  }
});
