import assert from "node:assert/strict";
import { isSelected, meetsCondition } from "../../../src/guard/hooks/hook-match.js";

const isFor = (matcher: string | undefined, tool: string): boolean =>
  isSelected({ hooks: [], ...(matcher !== undefined && { matcher }) }, "PreToolUse", { tool_name: tool });

describe("a hook's matcher", () => {
  it("is a list of exact names, or else a regular expression without anchors", () => {
    for (const [matcher, tool, expected] of [
      [undefined, "Bash", true],
      ["", "Bash", true],
      ["*", "Bash", true],
      ["Bash", "Bash", true],
      ["bash", "Bash", false],
      ["Edit|Write", "Write", true],
      ["Edit, Write", "Write", true],
      ["Edit", "NotebookEdit", false],
      ["Edit.*", "NotebookEdit", true],
      ["^Notebook", "NotebookEdit", true],
      ["mcp__memory", "mcp__memory__add", false],
      ["mcp__memory__.*", "mcp__memory__add", true],
      ["Task", "Agent", true],
    ] as const) {
      assert.equal(isFor(matcher, tool), expected, `${matcher} ${tool}`);
    }
  });

  it("selects by the event's own member, and is ignored where an event has none", () => {
    assert.equal(isSelected({ matcher: "resume", hooks: [] }, "SessionStart", { source: "startup" }), false);
    assert.equal(isSelected({ matcher: "nothing", hooks: [] }, "Stop", {}), true);
  });
});

describe("a hook's condition", () => {
  const meets = (rule: string, tool: string, input: object): boolean =>
    meetsCondition({ type: "command", command: "x", if: rule }, { tool, input: { ...input } }, "/w", "/home/u");

  it("is read as Claude Code's documentation says", () => {
    for (const [rule, command, expected] of [
      ["Bash(git *)", "FOO=bar git push", true],
      ["Bash(git *)", "npm test && git push", true],
      ["Bash(rm *)", "echo $(rm -rf /)", true],
      ["Bash(rm *)", "echo $(date)", false],
      ["Bash(git push *)", "echo $(date)", true],
      ["Bash(git push:*)", "git push origin", true],
      ["Bash", "anything", true],
      ["Edit", "anything", false],
    ] as const) {
      assert.equal(meets(rule, "Bash", { command }), expected, `${rule} ${command}`);
    }
    assert.equal(meets("Edit(*.ts)", "Edit", { file_path: "/w/src/a.ts" }), true);
    assert.equal(meets("Edit(src/**)", "Edit", { file_path: "/w/lib/a.ts" }), false);
    assert.equal(meets("WebFetch(domain:example.com)", "WebFetch", { url: "https://example.com/a" }), true);
  });

  it("is never met by an event without a tool", () => {
    const handler = { type: "command", command: "x", if: "Bash(git *)" } as const;
    assert.equal(meetsCondition(handler, undefined, "/w", "/home/u"), false);
  });
});
