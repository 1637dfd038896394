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
