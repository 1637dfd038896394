import assert from "node:assert/strict";
import { contextLines, contextOf, contextReport, contextSum } from "../../../src/features/agents/context-report.js";

describe("the list of what an agent gets", () => {
  it("is about the folder in which the tab's session is, and names the agent as the tab does", () => {
    const eliza = { id: "eliza", name: "Eliza" };
    const state = { agentId: "claude-code", agentName: "Claude Code" };
    const [begun, other, worktree] = ["/w/begun", "/w/other", "/w/tree"];
    assert.deepEqual(
      [
        contextOf(undefined, eliza, other),
        contextOf({ state, record: {}, conversation: { roots: [begun, other] } }, eliza, other),
        contextOf({ state, record: { folder: worktree }, conversation: undefined }, eliza, other),
        contextOf({ state, record: {}, conversation: undefined }, eliza, other),
      ].map(({ agentId, agentName, folder }) => [agentId, agentName, folder]),
      [
        ["eliza", "Eliza", other],
        ["claude-code", "Claude Code", begun],
        ["claude-code", "Claude Code", worktree],
        ["claude-code", "Claude Code", other],
      ],
    );
  });

  const report = contextReport.parse({
    agent: "opencode",
    items: [
      {
        kind: "rule",
        title: "CLAUDE.md",
        origin: "/p/CLAUDE.md",
        bytes: 40,
        tokens: 10,
        isSent: true,
        reason: "always",
        switch: { name: "/p/CLAUDE.md", isOff: false },
      },
      {
        kind: "server",
        title: "$(x)",
        origin: "npx",
        bytes: 1_234,
        tokens: 309,
        isSent: false,
        reason: "switched off",
        tools: ["a"],
        offTools: ["b"],
        switch: { name: "mcp:$(x)", isOff: true },
        needsApproval: true,
      },
    ],
    tools: { form: "all", count: 1, bytes: 4, tokens: 1 },
    bytes: 44,
    tokens: 11,
  });

  it("says of each part whether it is sent, what it costs, and where it comes from", () => {
    assert.deepEqual(contextLines(report), [
      [
        "Rules",
        [
          {
            label: "$(check) CLAUDE.md",
            description: "40 bytes, about 10 tokens",
            detail: "Sent: always",
            file: "/p/CLAUDE.md",
            switch: { name: "/p/CLAUDE.md", isOff: false },
            isServer: false,
            needsApproval: false,
          },
        ],
      ],
      [
        "MCP servers",
        [
          {
            label: "$(circle-slash) $ (x)",
            description: "1 tool, 1.2 kB, about 309 tokens",
            detail: "Off: use the button to turn it on again (off: b)",
            file: undefined,
            switch: { name: "mcp:$(x)", isOff: true },
            isServer: true,
            needsApproval: true,
          },
        ],
      ],
    ]);
  });

  it("sums it up", () => {
    assert.equal(contextSum(report), "44 bytes, about 11 tokens, including 1 tool from MCP servers");
  });
});
