import * as z from "zod/mini";

/** The prompt of a branch: one of several that were sent at the same place of a conversation, each in a tab of its own. */
export const branchSchema = z.object({ tabId: z.string(), itemId: z.string() });
export type Branch = z.infer<typeof branchSchema>;

/** Where the conversation was cut that a tab goes on with, until the agent has a session for it. */
export const branchPointSchema = z.object({
  /** The session of the other tab; absent where it had none. */
  sessionId: z.optional(z.string()),
  /** Nothing of it was cut off. */
  isWhole: z.boolean(),
  /** The last message of the agent that counts, where the agent names its messages. */
  message: z.optional(
    z.object({
      id: z.string(),
      text: z.string(),
      /** From 1, among its messages of the same text. */
      occurrence: z.number(),
    }),
  ),
  /** Another agent said it. `kept` is the session of its under which all of that is kept, where it is. */
  from: z.optional(z.object({ agentName: z.string(), kept: z.optional(z.string()) })),
  /** Mode, model and so on, as they were chosen there. */
  options: z.array(z.object({ id: z.string(), value: z.union([z.string(), z.boolean()]) })),
});
export type BranchPoint = z.infer<typeof branchPointSchema>;
