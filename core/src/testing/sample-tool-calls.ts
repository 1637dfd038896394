type Update = Readonly<Record<string, unknown>>;

/** Every kind of tool call of ACP v1. */
const toolKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

/**
 * Tool calls of every kind and status, with every kind of content. The ids are `call-KIND`. The last one is
 * updated without having been announced, as some agents do: clients take it as new.
 */
export const sampleToolCalls: readonly Update[] = [
  ...toolKinds.map((kind) => ({
    sessionUpdate: "tool_call",
    toolCallId: `call-${kind}`,
    title: `Tool of kind ${kind}`,
    name: `tool_${kind}`,
    kind,
    status: "pending",
    rawInput: { kind },
  })),
  { sessionUpdate: "tool_call_update", toolCallId: "call-edit", status: "in_progress" },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "call-edit",
    status: "completed",
    content: [
      { type: "diff", path: "/project/main.ts", oldText: "let a = 1;\n", newText: "const a = 1;\n" },
      { type: "diff", path: "/project/new.ts", newText: "export {};\n" },
    ],
    locations: [{ path: "/project/main.ts", line: 1 }, { path: "/project/new.ts" }],
    rawOutput: { changed: 2 },
  },
  { sessionUpdate: "tool_call_update", toolCallId: "call-execute", status: "in_progress", title: "Run the tests" },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "call-execute",
    status: "failed",
    content: [
      { type: "terminal", terminalId: "display-only" },
      { type: "content", content: { type: "text", text: "1 test failed" } },
    ],
  },
  ...toolKinds
    .filter((kind) => kind !== "edit" && kind !== "execute")
    .map((kind) => ({ sessionUpdate: "tool_call_update", toolCallId: `call-${kind}`, status: "completed" })),
  { sessionUpdate: "tool_call_update", toolCallId: "call-unannounced", title: "Not announced", status: "completed" },
];
