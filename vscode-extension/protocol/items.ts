import * as z from "zod/mini";
import { branchSchema } from "./branch.js";
import { attachmentSchema, contentBlockSchema } from "./content.js";

/** A button on a card. `id` goes back in an `action` message; `style` is how it looks. */
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
  /** Milliseconds since the epoch; absent in what an agent replays. */
  sentAt: z.optional(z.number()),
  /** Said into a turn that was running. */
  isSteered: z.optional(z.boolean()),
  /** Where others were sent in its place, each in a tab of its own: all of them, in the order in which they came. */
  branches: z.optional(z.array(branchSchema)),
  /** What can be done about the prompt, e.g. putting back the files of before it. */
  actions: z.optional(z.array(actionSchema)),
});

/** The agent's answer: Markdown that grows by `append` changes. */
const textItem = z.object({
  kind: z.literal("text"),
  id: z.string(),
  text: z.string(),
  /** The agent's own id of the message, of which this may be a part. */
  messageId: z.optional(z.string()),
});

const thoughtItem = z.object({
  kind: z.literal("thought"),
  id: z.string(),
  text: z.string(),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
});

/** Content of the answer that is no text: images, audio, resources. */
const contentItem = z.object({ kind: z.literal("content"), id: z.string(), block: contentBlockSchema });

/** One part of what a tool call produced. `lines` of a diff are counted by the extension, whole texts stay there. */
const toolContentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("content"), block: contentBlockSchema }),
  z.object({
    type: z.literal("diff"),
    path: z.string(),
    /** A unified diff without header, bounded; `isCut` says that more is behind "open diff". */
    patch: z.string(),
    added: z.number(),
    removed: z.number(),
    isNewFile: z.boolean(),
    isCut: z.boolean(),
    /** The line of the file, 1-based, that the compared texts begin at; absent where it is not known. */
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
  /** Relative to the workspace where it is inside. */
  label: z.string(),
});
export type Location = z.infer<typeof locationSchema>;

/** How a command ended. Both members are null where it is only known to have ended. */
export const exitSchema = z.object({ code: z.nullable(z.number()), signal: z.nullable(z.string()) });
export type Exit = z.infer<typeof exitSchema>;

const toolItem = z.object({
  kind: z.literal("tool"),
  /** The agent's toolCallId. */
  id: z.string(),
  title: z.string(),
  /** An ACP ToolKind, or whatever the agent said. */
  toolKind: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "failed", "cancelled"]),
  locations: z.array(locationSchema),
  content: z.array(toolContentSchema),
  /** Pretty JSON or a command line, bounded. */
  input: z.optional(z.string()),
  output: z.optional(z.string()),
  /** Of the command that the call ran, where the agent tells it or the editor has run it. */
  exit: z.optional(exitSchema),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
  /** The tool call that started the sub-agent this one belongs to. */
  parentId: z.optional(z.string()),
  /** It stands for a sub-agent that can be stopped alone: by the action {@link stopSubagentId}. */
  canStop: z.optional(z.boolean()),
});

/** What ids of items begin with that stand for sub-agents. */
export const subagentItemPrefix = "subagent:";
export const stopSubagentId = "stop-subagent";

/** The action of a prompt that puts its files back. */
export const restoreActionId = "restore-checkpoint";

const planItem = z.object({
  kind: z.literal("plan"),
  id: z.string(),
  entries: z.array(z.object({ content: z.string(), priority: z.string(), status: z.string() })),
});

/** An information card: what happened, why, and what the user can do about it. `details` is folded (a stderr tail). */
const noticeItem = z.object({
  kind: z.literal("notice"),
  id: z.string(),
  severity: z.enum(["info", "success", "warning", "error"]),
  title: z.string(),
  text: z.optional(z.string()),
  details: z.optional(z.string()),
  actions: z.array(actionSchema),
  /** The agent that answered above it, if another one goes on from here. */
  agentBefore: z.optional(z.string()),
  /** Work is going on: a spinner, or a bar when `percent` (0 to 100) is known. */
  progress: z.optional(z.object({ percent: z.optional(z.number()) })),
});

const permissionOptionSchema = z.object({
  optionId: z.string(),
  name: z.string(),
  /** allow_once, allow_always, reject_once, reject_always, or what the agent said. */
  kind: z.string(),
});

/** Where a remembered answer holds. */
export const ruleScopeSchema = z.enum(["session", "workspace", "always"]);
export type RuleScope = z.infer<typeof ruleScopeSchema>;
/** The scopes in words, which follow what is remembered. */
export const ruleScopeNames: Readonly<Record<RuleScope, string>> = {
  session: "in this session",
  workspace: "in this workspace",
  always: "always",
};

const permissionItem = z.object({
  kind: z.literal("permission"),
  /** The approval id. */
  id: z.string(),
  agentName: z.string(),
  toolCallId: z.string(),
  title: z.string(),
  toolKind: z.string(),
  /** The exact command, with hidden and bidirectional characters written out, where there is one. */
  command: z.optional(z.string()),
  cwd: z.optional(z.string()),
  locations: z.array(locationSchema),
  content: z.array(toolContentSchema),
  input: z.optional(z.string()),
  /** Sentences that a user should read before allowing: hidden characters, a path outside the workspace. */
  warnings: z.array(z.string()),
  options: z.array(permissionOptionSchema),
  /** The options say themselves what lasts of them. */
  hasOwnAnswers: z.optional(z.boolean()),
  /** What a rule would say, e.g. `run npm test`; scopes are offered beside the agent's own options. */
  ruleLabel: z.optional(z.string()),
  /** A rule of guard.jsonc can say it, so that it may outlive the session. */
  canLast: z.optional(z.boolean()),
  answer: z.optional(
    z.object({ optionId: z.optional(z.string()), label: z.string(), comment: z.optional(z.string()) }),
  ),
});

/** A form or a link the agent asks for (ACP elicitation). `schema` is the restricted JSON schema as it came. */
const elicitationItem = z.object({
  kind: z.literal("elicitation"),
  id: z.string(),
  message: z.string(),
  mode: z.enum(["form", "url"]),
  schema: z.optional(z.looseObject({})),
  url: z.optional(z.string()),
  /** What the last answer lacked, by property name: it was not sent. */
  problems: z.optional(z.record(z.string(), z.string())),
  answer: z.optional(z.object({ action: z.enum(["accept", "decline", "cancel"]), summary: z.string() })),
});

/** The agent wants the user to sign in. */
const authenticationItem = z.object({
  kind: z.literal("authentication"),
  id: z.string(),
  agentName: z.string(),
  reason: z.string(),
  methods: z.array(
    z.object({ id: z.string(), name: z.string(), description: z.optional(z.string()), isTerminal: z.boolean() }),
  ),
  /** failed: it can be tried again; over: nobody waits for it any more. */
  state: z.enum(["waiting", "running", "done", "failed", "over"]),
});

const turnEndItem = z.object({
  kind: z.literal("turn-end"),
  id: z.string(),
  /** An ACP stop reason, or what the agent said. */
  stopReason: z.string(),
  /** From sending the prompt to its answer, without the time in which the agent waited for the user. */
  durationMs: z.optional(z.number()),
  inputTokens: z.optional(z.number()),
  outputTokens: z.optional(z.number()),
  /** The user is told below it, this once, that conversations are kept. */
  tellsOfKeeping: z.optional(z.boolean()),
});

/** Something of the agent that we have no view for, shown plainly. */
const unknownItem = z.object({ kind: z.literal("unknown"), id: z.string(), label: z.string(), json: z.string() });

/** One entry of a transcript. Ids are unique within a tab. */
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
