import * as z from "zod/mini";
import { attachmentSchema, draftSchema } from "./content.js";
import { changeSchema, terminalSchema } from "./changes.js";
import { itemSchema } from "./items.js";
import { positionSchema, tabStateSchema } from "./tab.js";

const agentChoiceSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** One phrase: sign-in state, requirement or description. */
  description: z.optional(z.string()),
  /** Version to start, or download size. */
  detail: z.optional(z.string()),
  /** `here`: on this machine; `install`: after a download; `demo`: immediately, without a model. */
  place: z.enum(["here", "elsewhere", "install", "demo"]),
  /** Icon as a data: URI, black on transparent. */
  picture: z.optional(z.string().check(z.startsWith("data:image/svg+xml;base64,"))),
  isCurrent: z.boolean(),
});
export type AgentChoice = z.infer<typeof agentChoiceSchema>;

const viewSettingsSchema = z.object({
  /** Enter inserts a line break, Ctrl/Cmd+Enter sends. */
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
 * Messages to the chat view. `index` increases by one with each change of a tab. A page ignores changes that it has applied, and sends
 * `webview-ready` again if it misses some.
 */
export const toWebviewSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("settings"), settings: viewSettingsSchema }),
  /** All tabs in order; the page removes others. */
  z.object({ type: z.literal("tabs"), tabIds: z.array(z.string()), selected: z.nullable(z.string()) }),
  /** Tab after change `index`: its last items out of `total`, and its commands' output. */
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
    /** Sentence below the list about sources that weren't searched, with the reason. */
    note: z.optional(z.string()),
  }),
  z.object({ type: z.literal("add-context"), tabId: z.string(), attachments: z.array(attachmentSchema) }),
  z.object({ type: z.literal("add-text"), tabId: z.string(), text: z.string() }),
  z.object({ type: z.literal("focus") }),
]);
export type ToWebview = z.infer<typeof toWebviewSchema>;
