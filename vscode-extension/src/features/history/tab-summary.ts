import * as z from "zod/mini";
import { branchSchema } from "../../../protocol/index.js";
import { tabRecordSchema } from "../chat/tab-transcript.js";

export const tabSummarySchema = z.object({
  version: z.literal(1),
  record: tabRecordSchema,
  title: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  /** True for a tab that is open in the chat view; false for a closed tab in the history. */
  isOpen: z.boolean(),
  order: z.number(),
  isSelected: z.boolean(),
  /** Milliseconds since the epoch. */
  updatedAt: z.number(),
  prompts: z.number(),
  /** Id in the conversation store. Set once the store has the whole transcript, which the tab's own folder then no longer contains. */
  conversation: z.optional(z.string()),
  /** Prompts that have alternatives. `prompt` is the index among the tab's prompts. */
  branches: z.optional(z.array(z.object({ prompt: z.number(), id: z.string(), branches: z.array(branchSchema) }))),
});
export type TabSummary = z.infer<typeof tabSummarySchema>;
