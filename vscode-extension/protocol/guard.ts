import * as z from "zod/mini";

const level = z.enum(["rules", "sandbox", "off"]);

/** How one agent is held; what `guard status --json` says of it. */
const heldAgentSchema = z.object({
  /** As the command knows it. */
  agent: z.string(),
  level,
  /** `FILE:LINE` of what says so; absent where it is what holds without a word. */
  place: z.optional(z.string()),
  /** Its sandbox has been tried. */
  isKnown: z.boolean(),
  isBuiltIn: z.boolean(),
  summary: z.string(),
  parts: z.array(z.object({ title: z.string(), text: z.string() })),
});
export type HeldAgent = z.infer<typeof heldAgentSchema>;

const ruleSchema = z.object({
  effect: z.enum(["deny", "ask", "allow"]),
  subject: z.string(),
  patterns: z.array(z.string()),
  reason: z.optional(z.string()),
  /** The folder whose sessions it holds for. */
  in: z.optional(z.string()),
  /** Whose calls, and of which kind, it allows. */
  agent: z.optional(z.string()),
  kind: z.optional(z.string()),
  /** Its patterns are the things themselves. */
  exact: z.optional(z.boolean()),
  /** The folder in which an exact command runs. */
  cwd: z.optional(z.string()),
  place: z.string(),
});
export type ShownRule = z.infer<typeof ruleSchema>;

const decisionSchema = z.object({
  time: z.string(),
  agent: z.string(),
  subject: z.string(),
  rule: z.optional(z.string()),
  answer: z.string(),
});

const refusedHostSchema = z.object({
  host: z.string(),
  agents: z.array(z.string()),
  count: z.number(),
  time: z.string(),
  reason: z.string(),
  canOpen: z.boolean(),
});
export type RefusedHost = z.infer<typeof refusedHostSchema>;

/** What `guard status --json` prints, as far as the page shows it. */
export const guardStatusSchema = z.object({
  /** The user's guard.jsonc. */
  file: z.string(),
  sandbox: z.object({
    isThere: z.boolean(),
    reason: z.optional(z.string()),
    remedy: z.optional(z.string()),
    isRoot: z.optional(z.boolean()),
  }),
  agents: z.array(z.union([heldAgentSchema, z.object({ agent: z.string(), problem: z.string() })])),
  rules: z.array(ruleSchema),
  budgets: z.array(z.object({ scope: z.string(), figure: z.string(), limit: z.number(), place: z.string() })),
  problems: z.array(z.string()),
  /** The newest first. */
  decisions: z.array(decisionSchema),
  refused: z.array(refusedHostSchema),
});

/** Whether the page takes a rule out of its file: what the user has allowed, and nothing that refuses. */
export function canTakeBack({ effect, place }: ShownRule, { file }: Pick<GuardStatus, "file">): boolean {
  return effect === "allow" && place.startsWith(`${file}:`);
}

export type GuardStatus = z.infer<typeof guardStatusSchema>;

const guardStateSchema = z.object({
  folder: z.string(),
  isLoading: z.boolean(),
  /** Why nothing could be found out. */
  problem: z.optional(z.string()),
  /** What agents are called, by what the command knows them as. */
  names: z.record(z.string(), z.string()),
  status: z.optional(guardStatusSchema),
});
export type GuardState = z.infer<typeof guardStateSchema>;

/** What the extension tells the page _Guard_: the whole state, whenever it changes. */
export const toGuardSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("guard-state"), state: guardStateSchema }),
]);

/** What the page _Guard_ asks the extension to do. */
export const fromGuardSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("guard-ready") }),
  z.object({ type: z.literal("refresh") }),
  /** `default`: as if nothing were said of it. */
  z.object({ type: z.literal("set-level"), agent: z.string(), level: z.enum([...level.options, "default"]) }),
  /** A refused host: the extension asks where it shall be open. */
  z.object({ type: z.literal("open-host"), host: z.string() }),
  /** A rule of the user's own that allows, as the page showed it: it is taken out of the file. */
  z.object({
    type: z.literal("take-back"),
    place: z.string(),
    subject: z.string(),
    patterns: z.array(z.string()),
  }),
  /** The place of a rule, `FILE:LINE`. */
  z.object({ type: z.literal("open-place"), place: z.string() }),
  /** The user's guard.jsonc, made where there is none. */
  z.object({ type: z.literal("open-file") }),
]);
export type FromGuard = z.infer<typeof fromGuardSchema>;
