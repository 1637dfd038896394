import * as z from "zod/mini";

/** Prompt of a branch: one of several prompts sent at the same place of a conversation, each in its own tab. */
export const branchSchema = z.object({ tabId: z.string(), itemId: z.string() });
export type Branch = z.infer<typeof branchSchema>;

/** Point at which the continued conversation was cut, used until the agent has a session for the tab. */
export const branchPointSchema = z.object({
  /** Session of the other tab; absent if it had none. */
  sessionId: z.optional(z.string()),
  /** Whether nothing was cut off. */
  isWhole: z.boolean(),
  /** Last included message of the agent, if the agent sends message ids. */
  message: z.optional(
    z.object({
      id: z.string(),
      text: z.string(),
      /** From 1, among the agent's messages with the same text. */
      occurrence: z.number(),
    }),
  ),
  /** Set if another agent had the conversation. `kept` is the session under which it is stored, if any. */
  from: z.optional(z.object({ agentName: z.string(), kept: z.optional(z.string()) })),
  /** Chosen mode, model and other options of the other tab. */
  options: z.array(z.object({ id: z.string(), value: z.union([z.string(), z.boolean()]) })),
});
export type BranchPoint = z.infer<typeof branchPointSchema>;
