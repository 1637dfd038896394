import * as z from "zod/mini";
import { branchSchema } from "./branch.js";
import { attachmentSchema, contentBlockSchema } from "./content.js";

/** Button on a card. An `action` message returns `id`; `style` is the appearance. */
const actionSchema = z.object({
  id: z.string(),
  label: z.string(),
  style: z.optional(z.enum(["primary", "secondary", "danger"])),
  isDisabled: z.optional(z.boolean()),
});
export type Action = z.infer<typeof actionSchema>;

const userItem = z.object({
  kind: z.literal("user"),
  id: z.string(),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  /** Milliseconds since the epoch; absent in replayed prompts. */
  sentAt: z.optional(z.number()),
  /** Whether the prompt was sent into a running turn. */
  isSteered: z.optional(z.boolean()),
  /** All prompts sent at this place, each in its own tab, in order; absent if there is only one. */
  branches: z.optional(z.array(branchSchema)),
  /** Actions for the prompt, such as restoring earlier files. */
  actions: z.optional(z.array(actionSchema)),
});

/** Agent's answer in Markdown, which `append` changes extend. */
const textItem = z.object({
  kind: z.literal("text"),
  id: z.string(),
  text: z.string(),
  /** The agent's id of the message, of which this may be a part. */
  messageId: z.optional(z.string()),
});

const thoughtItem = z.object({
  kind: z.literal("thought"),
  id: z.string(),
  text: z.string(),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
});

/** Images, audio and resources in an answer. */
const contentItem = z.object({ kind: z.literal("content"), id: z.string(), block: contentBlockSchema });

/** Part of a tool call's output. The extension counts the lines of a diff and stores the whole texts. */
const toolContentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("content"), block: contentBlockSchema }),
  z.object({
    type: z.literal("diff"),
    path: z.string(),
    /** Shortened unified diff without header; `isCut` means that "open diff" shows more. */
    patch: z.string(),
    added: z.number(),
    removed: z.number(),
    isNewFile: z.boolean(),
    isCut: z.boolean(),
    /** 1-based line of the file at which the compared texts begin; absent if unknown. */
    startsAt: z.optional(z.number()),
  }),
  z.object({ type: z.literal("terminal"), terminalId: z.string() }),
  z.object({ type: z.literal("unknown"), json: z.string() }),
]);
export type ToolContent = z.infer<typeof toolContentSchema>;

const locationSchema = z.object({
  path: z.string(),
  /** 1-based. */
  line: z.optional(z.number()),
  /** Path, relative if inside the workspace. */
  label: z.string(),
});
export type Location = z.infer<typeof locationSchema>;

/** Exit of a command. Both members are null if only the end is known. */
export const exitSchema = z.object({ code: z.nullable(z.number()), signal: z.nullable(z.string()) });
export type Exit = z.infer<typeof exitSchema>;

const toolItem = z.object({
  kind: z.literal("tool"),
  /** The agent's toolCallId. */
  id: z.string(),
  title: z.string(),
  /** ACP ToolKind, or the agent's own value. */
  toolKind: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "failed", "cancelled"]),
  locations: z.array(locationSchema),
  content: z.array(toolContentSchema),
  /** Shortened JSON or command line. */
  input: z.optional(z.string()),
  output: z.optional(z.string()),
  /** Exit of the call's command, if the agent reports it or the editor ran it. */
  exit: z.optional(exitSchema),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
  /** Tool call that started this call's sub-agent. */
  parentId: z.optional(z.string()),
  /** Whether the item is a sub-agent that the action {@link stopSubagentId} can stop separately. */
  canStop: z.optional(z.boolean()),
});

/** Prefix of item ids for sub-agents. */
export const subagentItemPrefix = "subagent:";
export const stopSubagentId = "stop-subagent";

export const restoreActionId = "restore-checkpoint";

const planItem = z.object({
  kind: z.literal("plan"),
  id: z.string(),
  entries: z.array(z.object({ content: z.string(), priority: z.string(), status: z.string() })),
});

/** Card with an event, its reason and possible actions. `details`, such as the end of stderr, is collapsed. */
const noticeItem = z.object({
  kind: z.literal("notice"),
  id: z.string(),
  severity: z.enum(["info", "success", "warning", "error"]),
  title: z.string(),
  text: z.optional(z.string()),
  details: z.optional(z.string()),
  actions: z.array(actionSchema),
  /** Agent of the answers above if another agent continues below. */
  agentBefore: z.optional(z.string()),
  /** Shows a spinner, or a bar if `percent` (0 to 100) is known. */
  progress: z.optional(z.object({ percent: z.optional(z.number()) })),
});

const permissionOptionSchema = z.object({
  optionId: z.string(),
  name: z.string(),
  /** allow_once, allow_always, reject_once, reject_always, or the agent's own value. */
  kind: z.string(),
});

export const ruleScopeSchema = z.enum(["session", "workspace", "always"]);
export type RuleScope = z.infer<typeof ruleScopeSchema>;
export const ruleScopeNames: Readonly<Record<RuleScope, string>> = {
  session: "in this session",
  workspace: "in this workspace",
  always: "always",
};

const permissionItem = z.object({
  kind: z.literal("permission"),
  id: z.string(),
  agentName: z.string(),
  toolCallId: z.string(),
  title: z.string(),
  toolKind: z.string(),
  /** Exact command with hidden and bidirectional characters escaped, if there is one. */
  command: z.optional(z.string()),
  cwd: z.optional(z.string()),
  locations: z.array(locationSchema),
  content: z.array(toolContentSchema),
  input: z.optional(z.string()),
  /** Warnings before allowing, such as about hidden characters or a path outside the workspace. */
  warnings: z.array(z.string()),
  options: z.array(permissionOptionSchema),
  /** Whether the options themselves state how long they apply. */
  hasOwnAnswers: z.optional(z.boolean()),
  /** Text of the rule, such as `run npm test`; scopes are offered beside the agent's own options. */
  ruleLabel: z.optional(z.string()),
  /** Whether a rule of guard.jsonc can express the answer, so that it can outlast the session. */
  canLast: z.optional(z.boolean()),
  answer: z.optional(
    z.object({ optionId: z.optional(z.string()), label: z.string(), comment: z.optional(z.string()) }),
  ),
});

/** Form or link that the agent requests (ACP elicitation). `schema` is the restricted JSON schema as received. */
const elicitationItem = z.object({
  kind: z.literal("elicitation"),
  id: z.string(),
  message: z.string(),
  mode: z.enum(["form", "url"]),
  schema: z.optional(z.looseObject({})),
  url: z.optional(z.string()),
  /** Problems of the last, unsent answer by property name. */
  problems: z.optional(z.record(z.string(), z.string())),
  answer: z.optional(z.object({ action: z.enum(["accept", "decline", "cancel"]), summary: z.string() })),
});

const authenticationItem = z.object({
  kind: z.literal("authentication"),
  id: z.string(),
  agentName: z.string(),
  reason: z.string(),
  methods: z.array(
    z.object({ id: z.string(), name: z.string(), description: z.optional(z.string()), isTerminal: z.boolean() }),
  ),
  /** failed: can be retried; over: no longer needed. */
  state: z.enum(["waiting", "running", "done", "failed", "over"]),
});

const turnEndItem = z.object({
  kind: z.literal("turn-end"),
  id: z.string(),
  /** ACP stop reason, or the agent's own value. */
  stopReason: z.string(),
  /** Milliseconds from sending the prompt to its answer, without time waiting for the user. */
  durationMs: z.optional(z.number()),
  inputTokens: z.optional(z.number()),
  outputTokens: z.optional(z.number()),
  /** Whether to show the one-time notice about stored conversations below. */
  tellsOfKeeping: z.optional(z.boolean()),
});

/** Unknown content from the agent, shown as JSON. */
const unknownItem = z.object({ kind: z.literal("unknown"), id: z.string(), label: z.string(), json: z.string() });

/** Transcript entry. Ids are unique within a tab. */
export const itemSchema = z.discriminatedUnion("kind", [
  userItem,
  textItem,
  thoughtItem,
  contentItem,
  toolItem,
  planItem,
  noticeItem,
  permissionItem,
  elicitationItem,
  authenticationItem,
  turnEndItem,
  unknownItem,
]);
export type Item = z.infer<typeof itemSchema>;
export type ItemOf<Kind extends Item["kind"]> = Extract<Item, { kind: Kind }>;
