import * as z from "zod/mini";
import { attachmentSchema, draftSchema } from "./content.js";
import { ruleScopeSchema } from "./items.js";
import { positionSchema } from "./tab.js";

const tabId = z.string().check(z.minLength(1));
const messageId = z.string().check(z.minLength(1));

const promptTimeSchema = z.enum(["send", "later", "now", "together"]);
export type PromptTime = z.infer<typeof promptTimeSchema>;

/**
 * Message that the page is ready to receive messages. `lastSeen` contains the index of the last applied change for each tab that the page
 * displays.
 */
export const webviewReadySchema = z.object({
  type: z.literal("webview-ready"),
  lastSeen: z.record(z.string(), z.number()),
});

/** Messages from the chat view. The view creates tab and message ids as UUIDs. */
export const toExtensionSchema = z.discriminatedUnion("type", [
  webviewReadySchema,
  z.object({ type: z.literal("new-tab"), tabId, agentId: z.optional(z.string()) }),
  /** Asks the user what the new tab is about, and opens the tab in a new Git worktree. */
  z.object({ type: z.literal("new-worktree-tab"), agentId: z.optional(z.string()) }),
  z.object({ type: z.literal("worktree"), tabId, action: z.enum(["merge", "open", "remove"]) }),
  z.object({ type: z.literal("close-tab"), tabId }),
  z.object({ type: z.literal("open-in-editor"), tabId }),
  /** The page got the focus; `tabId` is of a tab in an editor, absent for the panel. */
  z.object({ type: z.literal("page-focused"), tabId: z.optional(tabId) }),
  z.object({ type: z.literal("select-tab"), tabId }),
  z.object({ type: z.literal("rename-tab"), tabId, title: z.string() }),
  /**
   * Sends a prompt. During a turn, `send` delivers the prompt into the turn if the agent supports that, and otherwise waits like `later`.
   * `now` stops the turn and sends the prompt first; `together` also stops the turn, and sends the prompt together with the stopped one.
   */
  z.object({
    type: z.literal("prompt"),
    tabId,
    messageId,
    text: z.string(),
    attachments: z.array(attachmentSchema),
    when: promptTimeSchema,
  }),
  /** Sends a prompt of the transcript again with another text, in a tab that knows the earlier messages. */
  z.object({
    type: z.literal("edit-prompt"),
    tabId,
    itemId: z.string(),
    newTabId: tabId,
    messageId,
    text: z.string(),
    /** Whether to undo the agent's file changes since the prompt first. */
    restoresFiles: z.optional(z.boolean()),
  }),
  /** Opens a tab that continues from the end of a turn. */
  z.object({ type: z.literal("fork"), tabId, itemId: z.string(), newTabId: tabId }),
  /** Asks the user for another agent, which then continues the tab's conversation. */
  z.object({ type: z.literal("continue-with"), tabId }),
  /** Shows the tab of another alternative prompt, and opens the tab if needed. */
  z.object({ type: z.literal("show-branch"), tabId }),
  z.object({ type: z.literal("cancel"), tabId }),
  /** Reports which queued prompt is visibly being edited; absent if none is. The edited prompt and those after it wait. */
  z.object({ type: z.literal("queue-editing"), tabId, messageId: z.optional(messageId) }),
  z.object({ type: z.literal("queue-edit"), tabId, messageId, text: z.string() }),
  z.object({ type: z.literal("queue-remove"), tabId, messageId }),
  z.object({ type: z.literal("queue-send-now"), tabId, messageId }),
  /** Sent for each change of the composer, at most a few times a second. */
  z.object({ type: z.literal("draft"), tabId, draft: draftSchema }),
  /** Reports the scroll position, at most a few times a second; the position is absent if the view is at the end. */
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
    /** Whether to bypass this agent's permissions from now on. */
    bypassAll: z.boolean(),
    remember: z.optional(ruleScopeSchema),
    comment: z.optional(z.string()),
  }),
  /** Gives the same answer to several requests of the tab; `allow` and `reject` select the option of that kind. */
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
  /** Reports that the user pressed a card's button, such as restart or open-log. */
  z.object({ type: z.literal("action"), tabId, itemId: z.string(), actionId: z.string() }),
  /** Requests items before `beforeId`; the answer is `older-items`. */
  z.object({ type: z.literal("get-older"), tabId, beforeId: z.string(), count: z.number() }),
  /** Requests entries that match `@text`; the extension answers with `context-results` and the same `queryId`. */
  z.object({ type: z.literal("context-query"), queryId: z.string(), tabId, text: z.string() }),
  /** URIs that the user dropped from the explorer or from editor tabs; the extension answers with `add-context`. */
  z.object({ type: z.literal("drop-uris"), tabId, uris: z.array(z.string()) }),
  z.object({ type: z.literal("open-location"), path: z.string(), line: z.optional(z.number()) }),
  z.object({ type: z.literal("open-attachment"), attachment: attachmentSchema }),
  z.object({ type: z.literal("open-link"), url: z.string() }),
  z.object({ type: z.literal("open-diff"), tabId, toolCallId: z.string(), path: z.string() }),
  /** Opens the whole text of an item that is shown shortened. `what` is input, output or the id of a terminal. */
  z.object({ type: z.literal("open-full"), tabId, itemId: z.string(), what: z.string() }),
  z.object({ type: z.literal("kill-terminal"), tabId, terminalId: z.string() }),
  z.object({ type: z.literal("copy"), text: z.string() }),
  z.object({
    type: z.literal("review"),
    tabId,
    action: z.enum(["open", "keep", "undo"]),
    /** URI of the file to which the action applies; absent for all files. */
    uri: z.optional(z.string()),
  }),
  z.object({ type: z.literal("open-settings") }),
  z.object({ type: z.literal("open-walkthrough") }),
  z.object({ type: z.literal("manage-trust") }),
  z.object({ type: z.literal("show-history") }),
  z.object({ type: z.literal("show-permissions") }),
  z.object({ type: z.literal("show-guard") }),
  z.object({ type: z.literal("log"), level: z.enum(["debug", "info", "warn", "error"]), text: z.string() }),
]);
export type ToExtension = z.infer<typeof toExtensionSchema>;
