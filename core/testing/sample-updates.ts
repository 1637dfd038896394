/** Base64 of a PNG of one pixel. */
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Every kind of content block of ACP v1, optional members included, and one of a kind that does not exist. */
export const sampleContent: readonly Readonly<Record<string, unknown>>[] = [
  {
    type: "text",
    text: 'Plain text with "quotes", a \\ backslash, a\ttab and 漢字 🦀.',
    annotations: { audience: ["user", "assistant"], lastModified: "2026-01-02T03:04:05Z", priority: 0.5 },
  },
  { type: "image", data: onePixel, mimeType: "image/png", uri: "file:///pixel.png" },
  { type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" },
  {
    type: "resource_link",
    uri: "file:///guide.md",
    name: "guide.md",
    title: "The guide",
    description: "A file that the text speaks of",
    mimeType: "text/markdown",
    size: 12,
  },
  { type: "resource", resource: { uri: "file:///notes.txt", text: "Notes.\n", mimeType: "text/plain" } },
  { type: "resource", resource: { uri: "file:///data.bin", blob: "AAEC", mimeType: "application/octet-stream" } },
];

export const unknownContent: Readonly<Record<string, unknown>> = { type: "_test_hologram", depth: 3 };

type Update = Readonly<Record<string, unknown>>;

const text = (value: string): Update => ({ type: "text", text: value });

/** The configuration options of a scripted session. Clients get the boolean one only when they declare that they know the type. */
export const sampleConfigOptions = [
  {
    type: "select",
    id: "model",
    name: "Model",
    category: "model",
    currentValue: "small",
    options: [
      { value: "small", name: "Small" },
      { value: "large", name: "Large", description: "Slower" },
    ],
  },
  { type: "boolean", id: "verbose", name: "Verbose", category: "other", currentValue: false },
] as const;

/** The modes of a scripted session. */
export const sampleModes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code", description: "Writes files" },
  ],
} as const;

/** The steps of a plan as it proceeds. */
export const samplePlans: readonly Update[] = [
  { sessionUpdate: "plan", entries: planEntries("in_progress", "pending", "pending") },
  { sessionUpdate: "plan", entries: planEntries("completed", "in_progress", "pending") },
  { sessionUpdate: "plan", entries: planEntries("completed", "completed", "completed") },
];

function planEntries(...statuses: readonly [string, string, string]): Update[] {
  return [
    { content: "Read", priority: "high", status: statuses[0] },
    { content: "Change", priority: "medium", status: statuses[1] },
    { content: "Check", priority: "low", status: statuses[2] },
  ];
}

export const sampleUsage: Update = {
  sessionUpdate: "usage_update",
  used: 1_200,
  size: 200_000,
  cost: { amount: 0.25, currency: "USD" },
};

/** Every stable kind of `session/update` of ACP v1 once. */
export const stableUpdates: readonly Update[] = [
  { sessionUpdate: "user_message_chunk", content: text("What the user said"), messageId: "message-1" },
  { sessionUpdate: "agent_message_chunk", content: text("An answer\n"), messageId: "message-2" },
  { sessionUpdate: "agent_thought_chunk", content: text("A thought"), messageId: "message-3" },
  { sessionUpdate: "tool_call", toolCallId: "call-update", title: "A tool call", kind: "other", status: "pending" },
  { sessionUpdate: "tool_call_update", toolCallId: "call-update", status: "completed" },
  { sessionUpdate: "plan", entries: planEntries("completed", "in_progress", "pending") },
  {
    sessionUpdate: "available_commands_update",
    availableCommands: [
      { name: "help", description: "Lists the commands" },
      { name: "echo", description: "Says a text", input: { hint: "text" } },
    ],
  },
  { sessionUpdate: "current_mode_update", currentModeId: "code" },
  { sessionUpdate: "config_option_update", configOptions: sampleConfigOptions },
  { sessionUpdate: "session_info_update", title: "A scripted session", updatedAt: "2026-01-02T03:04:05Z" },
  sampleUsage,
  { sessionUpdate: "notice", severity: "warning", title: "Nearly full", description: "The context is nearly full" },
  { sessionUpdate: "compaction_update", compactionId: "compaction-1", status: "in_progress" },
  { sessionUpdate: "compaction_summary_chunk", compactionId: "compaction-1", content: text("So far") },
];

/** Every unstable kind of `session/update` of ACP v1 once. */
export const unstableUpdates: readonly Update[] = [
  { sessionUpdate: "plan_update", plan: { type: "markdown", planId: "plan-1", content: "- read\n- change" } },
  { sessionUpdate: "plan_removed", planId: "plan-1" },
  {
    sessionUpdate: "subagent_update",
    sessionId: "session-1/subagent-1",
    title: "A subagent",
    state: { state: "running" },
  },
  {
    sessionUpdate: "session_message",
    messageId: "message-4",
    senderSessionId: "session-1/subagent-1",
    content: [text("Done")],
  },
  { sessionUpdate: "session_message_chunk", messageId: "message-4", content: text(".") },
];

/** A kind that does not exist, and a known kind with members that do not: both must pass a chain unharmed. */
export const unknownUpdates: readonly Update[] = [
  {
    sessionUpdate: "_test_weather",
    sky: { clouds: [1, null, { deep: true }] },
    _meta: { "test.example/trace": "t-1" },
  },
  {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "With unknown members\n", _meta: { inner: 1 }, flavour: "sour" },
    unknownMember: [true, false, null],
    _meta: { outer: 2 },
  },
];

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
