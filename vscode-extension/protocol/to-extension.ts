import * as z from "zod/mini";
import { attachmentSchema, draftSchema } from "./content.js";
import { ruleScopeSchema } from "./items.js";
import { positionSchema } from "./tab.js";

const tabId = z.string().check(z.minLength(1));
const messageId = z.string().check(z.minLength(1));

const promptTimeSchema = z.enum(["send", "later", "now", "together"]);
export type PromptTime = z.infer<typeof promptTimeSchema>;

/** The page can take messages; `lastSeen` holds, for each tab it still shows, the index of the last change it applied. */
export const webviewReadySchema = z.object({
  type: z.literal("webview-ready"),
  lastSeen: z.record(z.string(), z.number()),
});

/** What the chat view tells the extension. Tab and message ids are UUIDs that the view makes. */
export const toExtensionSchema = z.discriminatedUnion("type", [
  webviewReadySchema,
  z.object({ type: z.literal("new-tab"), tabId, agentId: z.optional(z.string()) }),
  /** Asks what the tab will be about, and opens one in a Git worktree of its own. */
  z.object({ type: z.literal("new-worktree-tab"), agentId: z.optional(z.string()) }),
  z.object({ type: z.literal("worktree"), tabId, action: z.enum(["merge", "open", "remove"]) }),
  z.object({ type: z.literal("close-tab"), tabId }),
  /** Moves a tab of the panel into an editor. */
  z.object({ type: z.literal("open-in-editor"), tabId }),
  /** The page has got the focus: that of a tab in an editor, or the panel's. */
  z.object({ type: z.literal("page-focused"), tabId: z.optional(tabId) }),
  z.object({ type: z.literal("select-tab"), tabId }),
  z.object({ type: z.literal("rename-tab"), tabId, title: z.string() }),
  /**
   * While a turn runs, `send` goes into it where the agent takes that, else waits like `later`; `now` stops the turn and
   * goes first; `together` stops it, too, and is sent with the prompt that was stopped.
   */
  z.object({
    type: z.literal("prompt"),
    tabId,
    messageId,
    text: z.string(),
    attachments: z.array(attachmentSchema),
    when: promptTimeSchema,
  }),
  /** Sends a prompt of the transcript again, with another text, in a tab that knows what was said before it. */
  z.object({
    type: z.literal("edit-prompt"),
    tabId,
    itemId: z.string(),
    newTabId: tabId,
    messageId,
    text: z.string(),
    /** Whether files that the agent changed since the prompt go back first. */
    restoresFiles: z.optional(z.boolean()),
  }),
  /** Opens a tab that goes on from the end of a turn. */
  z.object({ type: z.literal("fork"), tabId, itemId: z.string(), newTabId: tabId }),
  /** Asks which other agent shall go on with the tab's conversation. */
  z.object({ type: z.literal("continue-with"), tabId }),
  /** Shows a tab that another prompt was sent in, open or not. */
  z.object({ type: z.literal("show-branch"), tabId }),
  z.object({ type: z.literal("cancel"), tabId }),
  /** Which prompt of the queue is being edited where it can be seen: it waits, and those behind it. Absent: none. */
  z.object({ type: z.literal("queue-editing"), tabId, messageId: z.optional(messageId) }),
  z.object({ type: z.literal("queue-edit"), tabId, messageId, text: z.string() }),
  z.object({ type: z.literal("queue-remove"), tabId, messageId }),
  z.object({ type: z.literal("queue-send-now"), tabId, messageId }),
  /** Every change of the composer, at most a few times a second. */
  z.object({ type: z.literal("draft"), tabId, draft: draftSchema }),
  /** Where the user has scrolled to, at most a few times a second; absent at the end. */
  z.object({ type: z.literal("scrolled"), tabId, place: z.optional(positionSchema) }),
  z.object({
    type: z.literal("approval-response"),
    approvalId: z.string(),
    response: z.object({
      outcome: z.discriminatedUnion("outcome", [
        z.object({ outcome: z.literal("selected"), optionId: z.string() }),
        z.object({ outcome: z.literal("cancelled") }),
      ]),
    }),
    /** Bypass permissions of this agent from now on. */
    bypassAll: z.boolean(),
    remember: z.optional(ruleScopeSchema),
    comment: z.optional(z.string()),
  }),
  /** The same answer for each of these requests of the tab: `allow` and `reject` pick the option by its kind. */
  z.object({
    type: z.literal("approve-all"),
    tabId,
    approvalIds: z.array(z.string()),
    answer: z.enum(["allow", "reject"]),
  }),
  z.object({
    type: z.literal("elicitation-response"),
    id: z.string(),
    action: z.enum(["accept", "decline", "cancel"]),
    content: z.optional(z.record(z.string(), z.unknown())),
  }),
  z.object({ type: z.literal("authenticate"), tabId, id: z.string(), methodId: z.string() }),
  z.object({ type: z.literal("set-option"), tabId, optionId: z.string(), value: z.union([z.string(), z.boolean()]) }),
  /** A button of a card, e.g. restart, open-log. */
  z.object({ type: z.literal("action"), tabId, itemId: z.string(), actionId: z.string() }),
  /** Items before `beforeId`, answered by `older-items`. */
  z.object({ type: z.literal("get-older"), tabId, beforeId: z.string(), count: z.number() }),
  /** What `@text` could mean, answered by `context-results` with the same `queryId`. */
  z.object({ type: z.literal("context-query"), queryId: z.string(), tabId, text: z.string() }),
  /** Dropped URIs (explorer, tabs), answered by `add-context`. */
  z.object({ type: z.literal("drop-uris"), tabId, uris: z.array(z.string()) }),
  z.object({ type: z.literal("open-location"), path: z.string(), line: z.optional(z.number()) }),
  z.object({ type: z.literal("open-attachment"), attachment: attachmentSchema }),
  z.object({ type: z.literal("open-link"), url: z.string() }),
  z.object({ type: z.literal("open-diff"), tabId, toolCallId: z.string(), path: z.string() }),
  /** The whole text behind a bounded one: `what` is input, output or a terminal id. */
  z.object({ type: z.literal("open-full"), tabId, itemId: z.string(), what: z.string() }),
  z.object({ type: z.literal("kill-terminal"), tabId, terminalId: z.string() }),
  z.object({ type: z.literal("copy"), text: z.string() }),
  z.object({
    type: z.literal("review"),
    tabId,
    action: z.enum(["open", "keep", "undo"]),
    /** Absent: every file. */
    uri: z.optional(z.string()),
  }),
  z.object({ type: z.literal("open-settings") }),
  z.object({ type: z.literal("open-walkthrough") }),
  /** Shows where the user decides whether the workspace is trusted. */
  z.object({ type: z.literal("manage-trust") }),
  z.object({ type: z.literal("show-history") }),
  z.object({ type: z.literal("show-permissions") }),
  z.object({ type: z.literal("show-guard") }),
  z.object({ type: z.literal("log"), level: z.enum(["debug", "info", "warn", "error"]), text: z.string() }),
]);
export type ToExtension = z.infer<typeof toExtensionSchema>;
