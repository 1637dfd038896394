import * as z from "zod/mini";
import { attachmentSchema, draftSchema } from "./content.js";
import { changeSchema, terminalSchema } from "./changes.js";
import { itemSchema } from "./items.js";
import { positionSchema, tabStateSchema } from "./tab.js";

const agentChoiceSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** One phrase about the agent: its sign-in state, a requirement or a description. */
  description: z.optional(z.string()),
  /** Version that would be started, or size of the download. */
  detail: z.optional(z.string()),
  /** Location of the agent. `here`: on this machine. `install`: needs a download. `demo`: starts immediately and uses no model. */
  place: z.enum(["here", "elsewhere", "install", "demo"]),
  /** Icon as a data: URI, black on transparent. */
  picture: z.optional(z.string().check(z.startsWith("data:image/svg+xml;base64,"))),
  isCurrent: z.boolean(),
});
export type AgentChoice = z.infer<typeof agentChoiceSchema>;

const viewSettingsSchema = z.object({
  /** Whether Enter inserts a line break and only Ctrl/Cmd+Enter sends the prompt. */
  requireModifierToSend: z.boolean(),
  agents: z.array(agentChoiceSchema),
  /** Whether the list of this machine's agents is still loading. */
  isListing: z.boolean(),
  listProblem: z.optional(z.string()),
  isTrusted: z.boolean(),
  /** Names of the window's folders, used by tabs without their own folder. */
  folders: z.array(z.string()),
  isMac: z.boolean(),
});
export type ViewSettings = z.infer<typeof viewSettingsSchema>;

/** Entry of the `@` menu. `icon` is a codicon name. */
const contextResultSchema = z.object({
  attachment: attachmentSchema,
  icon: z.string(),
  detail: z.optional(z.string()),
});
export type ContextResult = z.infer<typeof contextResultSchema>;

/**
 * Messages to the chat view. `index` increases by one with each change to a tab. The page ignores changes that it has already applied, and
 * sends `webview-ready` again if it has missed any.
 */
export const toWebviewSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("settings"), settings: viewSettingsSchema }),
  /** All tabs in order; the page removes tabs that aren't listed. */
  z.object({ type: z.literal("tabs"), tabIds: z.array(z.string()), selected: z.nullable(z.string()) }),
  /** State of a tab after change `index`: the last of its `total` items, and the output of its commands. */
  z.object({
    type: z.literal("snapshot"),
    tabId: z.string(),
    index: z.number(),
    state: tabStateSchema,
    items: z.array(itemSchema),
    total: z.number(),
    terminals: z.array(terminalSchema),
    draft: z.optional(draftSchema),
    /** Scroll position; absent if the view is at the end. */
    place: z.optional(positionSchema),
  }),
  /** Changes to a tab with the indexes `index - changes.length + 1` to `index`. */
  z.object({ type: z.literal("changes"), tabId: z.string(), index: z.number(), changes: z.array(changeSchema) }),
  z.object({
    type: z.literal("older-items"),
    tabId: z.string(),
    beforeId: z.string(),
    items: z.array(itemSchema),
    terminals: z.array(terminalSchema),
  }),
  z.object({
    type: z.literal("context-results"),
    queryId: z.string(),
    results: z.array(contextResultSchema),
    /** Sentence below the list about sources that weren't searched, with the reason. */
    note: z.optional(z.string()),
  }),
  z.object({ type: z.literal("add-context"), tabId: z.string(), attachments: z.array(attachmentSchema) }),
  z.object({ type: z.literal("add-text"), tabId: z.string(), text: z.string() }),
  z.object({ type: z.literal("focus") }),
]);
export type ToWebview = z.infer<typeof toWebviewSchema>;
