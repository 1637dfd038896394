import * as z from "zod/mini";

/** Identifies one of several alternative prompts at the same position of a conversation. Each alternative has its own tab. */
export const branchSchema = z.object({ tabId: z.string(), itemId: z.string() });
export type Branch = z.infer<typeof branchSchema>;

/** Point at which the continued conversation was cut, used until the agent has a session for the tab. */
export const branchPointSchema = z.object({
  /** Session of the tab whose conversation is continued; absent if that tab had none. */
  sessionId: z.optional(z.string()),
  /** Whether the conversation continues from its end, so that nothing was cut off. */
  isWhole: z.boolean(),
  /** The agent's last message before the cut, if the agent sends message ids. */
  message: z.optional(
    z.object({
      id: z.string(),
      text: z.string(),
      /** Number of the message, starting at 1, among the agent's messages with the same text. */
      occurrence: z.number(),
    }),
  ),
  /** Set if the continued conversation was with another agent. `kept` is the session under which the conversation is stored, if any. */
  from: z.optional(z.object({ agentName: z.string(), kept: z.optional(z.string()) })),
  /** Mode, model and other options that were selected in the tab whose conversation is continued. */
  options: z.array(z.object({ id: z.string(), value: z.union([z.string(), z.boolean()]) })),
});
export type BranchPoint = z.infer<typeof branchPointSchema>;
