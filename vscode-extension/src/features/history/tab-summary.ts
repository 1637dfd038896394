import * as z from "zod/mini";
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
});
export type TabSummary = z.infer<typeof tabSummarySchema>;
