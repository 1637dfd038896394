import * as z from "zod/mini";
import { draftSchema } from "../../../protocol/index.js";

/** What is known of a tab besides its transcript and outlives the window. */
export const tabRecordSchema = z.object({
  tabId: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  /** The agent's session, to be taken up again. */
  sessionId: z.optional(z.string()),
  /** Absolute path of the folder it works in, where the user has chosen one. */
  folder: z.optional(z.string()),
  draft: z.optional(draftSchema),
  /** The user has named it: the agent's titles no longer count. */
  isRenamed: z.optional(z.boolean()),
});
export type TabRecord = z.infer<typeof tabRecordSchema>;
