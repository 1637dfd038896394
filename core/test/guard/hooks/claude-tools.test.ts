import assert from "node:assert/strict";
import { claudeCallsOf } from "../../../src/guard/hooks/claude-tools.js";

const place = {
  servers: ["docs"],
  titlesCommands: false,
  absolute: (path: string) => (path.startsWith("/") ? path : `/w/${path}`),
};
const read = (call: object, more: object = {}) =>
  claudeCallsOf(call as Readonly<Record<string, unknown>>, { ...place, ...more });

describe("a tool call in Claude Code's terms", () => {
  it("keeps what Claude Code says", () => {
    const call = {
      kind: "edit",
      title: "Edit a.ts",
      rawInput: { file_path: "a.ts", old_string: "a", new_string: "b" },
    };
    assert.deepEqual(read({ ...call, _meta: { claudeCode: { toolName: "MultiEdit" } } }), [
      { tool: "MultiEdit", input: { file_path: "/w/a.ts", old_string: "a", new_string: "b" } },
    ]);
  });

  it("is Bash for every command, however its title reads", () => {
    const calls = [
      { kind: "execute", title: "bash", rawInput: { command: "ls -l", description: "Lists" } },
      { kind: "execute", title: "task run", rawInput: { command: ["bash", "-lc", "ls -l"], description: "Lists" } },
      { kind: "execute", title: "ls", rawInput: { command: "/bin/bash -lc 'ls -l'", description: "Lists" } },
      { kind: "execute", title: "docs/search", rawInput: { cmd: "ls -l", description: "Lists" } },
      { kind: "execute", title: "mcp__docs__search", rawInput: { command: "ls", args: ["-l"], description: "Lists" } },
    ];
    for (const call of calls) {
      assert.deepEqual(read(call), [{ tool: "Bash", input: { command: "ls -l", description: "Lists" } }], call.title);
    }
    const titled = { kind: "execute", title: "ls -l" };
    assert.deepEqual(read(titled, { titlesCommands: true }), [{ tool: "Bash", input: { command: "ls -l" } }]);
  });

  it("is one call for each file that it edits", () => {
    const content = [
      { type: "diff", path: "/w/a", oldText: "1", newText: "2" },
      { type: "diff", path: "/w/b", oldText: null, newText: "new" },
    ];
    assert.deepEqual(read({ kind: "edit", title: "apply_patch", content, rawInput: { patch: "…" } }), [
      { tool: "Edit", input: { file_path: "/w/a", old_string: "1", new_string: "2" } },
      { tool: "Write", input: { file_path: "/w/b", content: "new" } },
    ]);
  });

  it("is one call for each edit, even if they are in one file or the input names only one", () => {
    const content = [
      { type: "diff", path: "/w/a", oldText: "1", newText: "2" },
      { type: "diff", path: "/w/a", oldText: "3", newText: "4" },
      { type: "diff", path: "/w/b", oldText: "5", newText: "6" },
    ];
    const rawInput = { file_path: "/w/a", old_string: "1", new_string: "2" };
    assert.deepEqual(
      read({ kind: "edit", title: "edit", content, rawInput }).map(({ input }) => Object.values(input)),
      [
        ["/w/a", "1", "2"],
        ["/w/a", "3", "4"],
        ["/w/b", "5", "6"],
      ],
    );
  });

  it("has the names and inputs of other agents' tools translated", () => {
    const rows = [
      [
        { kind: "edit", title: "write", rawInput: { filePath: "a", content: "x" } },
        "Write",
        { file_path: "/w/a", content: "x" },
      ],
      [
        { kind: "edit", title: "replace", rawInput: { file_path: "a", old_string: "x", new_string: "y" } },
        "Edit",
        { file_path: "/w/a", old_string: "x", new_string: "y" },
      ],
      [
        { kind: "read", title: "ReadFile: a", locations: [{ path: "a" }], rawInput: { absolute_path: "/w/a" } },
        "Read",
        { file_path: "/w/a" },
      ],
      [
        { kind: "search", title: "grep", rawInput: { pattern: "x", include: "*.ts" } },
        "Grep",
        { pattern: "x", glob: "*.ts" },
      ],
      [{ kind: "search", title: "glob", rawInput: { pattern: "*.ts" } }, "Glob", { pattern: "*.ts" }],
      [{ kind: "fetch", title: "webfetch", rawInput: { url: "https://x" } }, "WebFetch", { url: "https://x" }],
      [
        { kind: "other", title: "task", rawInput: { prompt: "p", subagent_type: "e" } },
        "Agent",
        { prompt: "p", subagent_type: "e" },
      ],
      [{ kind: "other", title: "docs_search", rawInput: { q: 1 } }, "mcp__docs__search", { q: 1 }],
      [{ kind: "other", title: "mcp__docs__search", rawInput: { q: 1 } }, "mcp__docs__search", { q: 1 }],
      [{ kind: "other", title: "todowrite", rawInput: { todos: [] } }, "todowrite", { todos: [] }],
      [{ kind: "delete", title: "Delete a", rawInput: {} }, "Delete", {}],
    ] as const;
    for (const [call, tool, input] of rows) assert.deepEqual(read(call), [{ tool, input }], call.title);
  });
});
