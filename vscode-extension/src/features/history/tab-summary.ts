import * as z from "zod/mini";
import { branchSchema } from "../../../protocol/index.js";
import { tabRecordSchema } from "../chat/tab-transcript.js";

/** What is stored of a tab beside its transcript: enough to list it without reading that. */
export const tabSummarySchema = z.object({
  version: z.literal(1),
  record: tabRecordSchema,
  title: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  /** In the view, or in the history. */
  isOpen: z.boolean(),
  /** Place among the open tabs. */
  order: z.number(),
  isSelected: z.boolean(),
  /** Milliseconds since the epoch. */
  updatedAt: z.number(),
  /** How many prompts the user has sent. */
  prompts: z.number(),
  /** All of it is kept under that id with all conversations; nothing of it is kept here. */
  conversation: z.optional(z.string()),
  /** Prompts in whose place others were sent, by their place among the prompts. */
  branches: z.optional(z.array(z.object({ prompt: z.number(), id: z.string(), branches: z.array(branchSchema) }))),
});
export type TabSummary = z.infer<typeof tabSummarySchema>;
