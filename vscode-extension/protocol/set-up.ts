import * as z from "zod/mini";

const setUpFindingSchema = z.object({
  /** Subject of the check in a word or two. */
  about: z.string(),
  status: z.enum(["ok", "warn", "fail"]),
  text: z.string(),
  remedy: z.optional(z.string()),
  /** Actions for the finding; the extension receives the `id` of the chosen action. */
  actions: z.array(z.object({ id: z.string(), label: z.string() })),
});
export type SetUpFinding = z.infer<typeof setUpFindingSchema>;

const setUpStateSchema = z.object({
  /** Name of an agent that the check includes. */
  agentName: z.optional(z.string()),
  isChecking: z.boolean(),
  /** Problems that stop an agent from working. */
  faults: z.array(setUpFindingSchema),
  /** Findings that suggest optional improvements. */
  warnings: z.array(setUpFindingSchema),
  /** Missing programs that only some agents and extensions need. */
  optional: z.array(setUpFindingSchema),
  right: z.array(setUpFindingSchema),
});
export type SetUpState = z.infer<typeof setUpStateSchema>;

/** Messages to the set-up page. After each change, the page receives the whole state. */
export const toSetUpSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("set-up-state"), state: setUpStateSchema }),
]);

export const fromSetUpSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("set-up-ready") }),
  z.object({ type: z.literal("check-again") }),
  z.object({ type: z.literal("show-log") }),
  z.object({ type: z.literal("copy") }),
  z.object({ type: z.literal("act"), id: z.string() }),
]);
export type FromSetUp = z.infer<typeof fromSetUpSchema>;
