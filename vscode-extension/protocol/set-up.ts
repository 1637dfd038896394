import * as z from "zod/mini";

/** What was looked at, what was found, and a button for each remedy. */
const setUpFindingSchema = z.object({
  /** What was looked at, in a word or two. */
  about: z.string(),
  status: z.enum(["ok", "warn", "fail"]),
  text: z.string(),
  /** The next step in words. */
  remedy: z.optional(z.string()),
  /** `id` goes back to the extension. */
  actions: z.array(z.object({ id: z.string(), label: z.string() })),
});
export type SetUpFinding = z.infer<typeof setUpFindingSchema>;

const setUpStateSchema = z.object({
  /** The agent that is checked, too. */
  agentName: z.optional(z.string()),
  isChecking: z.boolean(),
  /** What keeps an agent from working. */
  faults: z.array(setUpFindingSchema),
  /** What may be wanted. */
  warnings: z.array(setUpFindingSchema),
  /** Programs that are not here and that some agents and extensions need. */
  optional: z.array(setUpFindingSchema),
  right: z.array(setUpFindingSchema),
});
export type SetUpState = z.infer<typeof setUpStateSchema>;

/** What the extension tells the set-up page: the whole state, whenever it changes. */
export const toSetUpSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("set-up-state"), state: setUpStateSchema }),
]);

/** What the set-up page asks the extension to do. */
export const fromSetUpSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("set-up-ready") }),
  z.object({ type: z.literal("check-again") }),
  z.object({ type: z.literal("show-log") }),
  /** The findings as text, for a report. */
  z.object({ type: z.literal("copy") }),
  /** A remedy of a finding that the page shows. */
  z.object({ type: z.literal("act"), id: z.string() }),
]);
export type FromSetUp = z.infer<typeof fromSetUpSchema>;
