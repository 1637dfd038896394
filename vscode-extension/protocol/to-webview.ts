import * as z from "zod/mini";
import { attachmentSchema, draftSchema } from "./content.js";
import { changeSchema, terminalSchema } from "./changes.js";
import { itemSchema } from "./items.js";
import { positionSchema, tabStateSchema } from "./tab.js";

/** An agent that a tab can be opened with. */
const agentChoiceSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** One phrase: whether the user seems to be signed in, what it needs, or what it is. */
  description: z.optional(z.string()),
  /** The version that would start, or how much would be downloaded. */
  detail: z.optional(z.string()),
  /** `here`: on this machine; `install`: after a download; `demo`: at once, without a model. */
  place: z.enum(["here", "elsewhere", "install", "demo"]),
  /** Its icon as a data: URI, black on nothing. */
  picture: z.optional(z.string().check(z.startsWith("data:image/svg+xml;base64,"))),
  isCurrent: z.boolean(),
});
export type AgentChoice = z.infer<typeof agentChoiceSchema>;

/** Settings that change how the view behaves; sent again whenever one changes. */
const viewSettingsSchema = z.object({
  /** Enter makes a new line, Ctrl/Cmd+Enter sends. */
  requireModifierToSend: z.boolean(),
  /** In the order in which they are offered. */
  agents: z.array(agentChoiceSchema),
  /** What there is on this machine is not known yet. */
  isListing: z.boolean(),
  /** Why what there is on this machine cannot be known. */
  listProblem: z.optional(z.string()),
  isTrusted: z.boolean(),
  /** Names of the window's folders, in which a tab works that has none of its own. */
  folders: z.array(z.string()),
  isMac: z.boolean(),
});
export type ViewSettings = z.infer<typeof viewSettingsSchema>;

/** A line of the `@` menu. `icon` is a codicon name. */
const contextResultSchema = z.object({
  attachment: attachmentSchema,
  icon: z.string(),
  detail: z.optional(z.string()),
});
export type ContextResult = z.infer<typeof contextResultSchema>;

/**
 * What the extension tells the chat view. `index` rises by one with every change of a tab; a page ignores changes it
 * has applied, and asks again by `webview-ready` when it misses some.
 */
export const toWebviewSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("settings"), settings: viewSettingsSchema }),
  /** All tabs there are, in order; the page drops others. */
  z.object({ type: z.literal("tabs"), tabIds: z.array(z.string()), selected: z.nullable(z.string()) }),
  /** A tab as it is after change `index`: its last items (`total` of them exist), and the output of its commands. */
  z.object({
    type: z.literal("snapshot"),
    tabId: z.string(),
    index: z.number(),
    state: tabStateSchema,
    items: z.array(itemSchema),
    total: z.number(),
    terminals: z.array(terminalSchema),
    draft: z.optional(draftSchema),
    /** Absent at the end. */
    place: z.optional(positionSchema),
  }),
  /** Changes `index - changes.length + 1` to `index`. */
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
    /** A sentence below the list: what was not searched, and why. */
    note: z.optional(z.string()),
  }),
  /** Adds to the draft of a tab and moves the focus there. */
  z.object({ type: z.literal("add-context"), tabId: z.string(), attachments: z.array(attachmentSchema) }),
  z.object({ type: z.literal("add-text"), tabId: z.string(), text: z.string() }),
  z.object({ type: z.literal("focus") }),
]);
export type ToWebview = z.infer<typeof toWebviewSchema>;
