import * as l10n from "@vscode/l10n";
import * as z from "zod/mini";
import { branchSchema } from "./branch.js";
import { attachmentSchema, contentBlockSchema } from "./content.js";

/** Button on a card. The view sends `id` in an `action` message; `style` selects the appearance. */
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
  /** Time at which the prompt was sent, in milliseconds since 1970; absent in prompts that the agent replayed. */
  sentAt: z.optional(z.number()),
  /** Whether the prompt was sent into a running turn. */
  isSteered: z.optional(z.boolean()),
  /** Alternative prompts at this position of the conversation, each in its own tab; absent if there are no alternatives. */
  branches: z.optional(z.array(branchSchema)),
  /** Actions for the prompt, such as restoring earlier files. */
  actions: z.optional(z.array(actionSchema)),
});

/** Agent's answer in Markdown, which `append` changes extend. */
const textItem = z.object({
  kind: z.literal("text"),
  id: z.string(),
  text: z.string(),
  /** The agent's id for the message of which this item is all or part. */
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
  /** Line number, starting at 1. */
  line: z.optional(z.number()),
  /** Path, relative if inside the workspace. */
  label: z.string(),
});
export type Location = z.infer<typeof locationSchema>;

/** How a command ended. Both members are null if it is only known that the command has ended. */
export const exitSchema = z.object({ code: z.nullable(z.number()), signal: z.nullable(z.string()) });
export type Exit = z.infer<typeof exitSchema>;

const toolItem = z.object({
  kind: z.literal("tool"),
  /** The tool call's `toolCallId` from the agent. */
  id: z.string(),
  title: z.string(),
  /** ACP `ToolKind` of the call, or a value that only the agent defines. */
  toolKind: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "failed", "cancelled"]),
  locations: z.array(locationSchema),
  content: z.array(toolContentSchema),
  /** The call's input as shortened JSON, or its command line. */
  input: z.optional(z.string()),
  output: z.optional(z.string()),
  /** How the call's command ended, if the agent reports this or the editor ran the command. */
  exit: z.optional(exitSchema),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
  /** Id of the tool call that started the sub-agent to which this call belongs. */
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
  /** Name of the agent that gave the answers above the card, if another agent continues below it. */
  agentBefore: z.optional(z.string()),
  /** Progress to show: a bar if `percent` (0 to 100) is known, otherwise a spinner. */
  progress: z.optional(z.object({ percent: z.optional(z.number()) })),
});

/** Names of severities for screen readers. */
export const severityNames = {
  info: l10n.t("info"),
  success: l10n.t("success"),
  warning: l10n.t("warning"),
  error: l10n.t("error"),
};

const permissionOptionSchema = z.object({
  optionId: z.string(),
  name: z.string(),
  /** Kind of the option: allow_once, allow_always, reject_once, reject_always, or a value that only the agent defines. */
  kind: z.string(),
});

export const ruleScopeSchema = z.enum(["session", "workspace", "always"]);
export type RuleScope = z.infer<typeof ruleScopeSchema>;
export const ruleScopeNames: Readonly<Record<RuleScope, string>> = {
  session: l10n.t("in this session"),
  workspace: l10n.t("in this workspace"),
  always: l10n.t("always"),
};

const permissionItem = z.object({
  kind: z.literal("permission"),
  id: z.string(),
  agentName: z.string(),
  toolCallId: z.string(),
  title: z.string(),
  toolKind: z.string(),
  /** Exact command with hidden and bidirectional characters escaped; absent if the request isn't about a command. */
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
  /**
   * Text of the rule that the answer can create, such as `run npm test`. The scopes of the rule are offered in addition to the agent's own
   * options.
   */
  ruleLabel: z.optional(z.string()),
  /** Whether the answer can be saved as a rule in guard.jsonc, so that it outlasts the session. */
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
  /** Problems in the last answer, by property name; because of these problems, the answer wasn't sent. */
  problems: z.optional(z.record(z.string(), z.string())),
  /** `summary` is for the user; `fields` are the names of the sent fields. */
  answer: z.optional(
    z.object({
      action: z.enum(["accept", "decline", "cancel"]),
      summary: z.string(),
      fields: z.optional(z.array(z.string())),
    }),
  ),
});

const authenticationItem = z.object({
  kind: z.literal("authentication"),
  id: z.string(),
  agentName: z.string(),
  reason: z.string(),
  methods: z.array(
    z.object({ id: z.string(), name: z.string(), description: z.optional(z.string()), isTerminal: z.boolean() }),
  ),
  /** State of the sign-in; failed: the user can try again; over: the sign-in is no longer needed. */
  state: z.enum(["waiting", "running", "done", "failed", "over"]),
});

const turnEndItem = z.object({
  kind: z.literal("turn-end"),
  id: z.string(),
  /** ACP stop reason, or a value that only the agent defines. */
  stopReason: z.string(),
  /** Milliseconds from sending the prompt to its answer, without time waiting for the user. */
  durationMs: z.optional(z.number()),
  inputTokens: z.optional(z.number()),
  outputTokens: z.optional(z.number()),
  /** Whether to show, below this item, the one-time notice that conversations are stored. */
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
