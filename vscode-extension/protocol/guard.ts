import * as z from "zod/mini";

const level = z.enum(["rules", "sandbox", "off"]);

const heldAgentSchema = z.object({
  /** Name by which the `symposium-acp-agent` command knows the agent. */
  agent: z.string(),
  level,
  /** `FILE:LINE` of the entry that sets the level; absent for the default level. */
  place: z.optional(z.string()),
  /** Lowest level that the organisation allows. */
  lowest: z.optional(z.object({ level })),
  /** Whether the agent has been tested in the sandbox. */
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
  /** Folder to whose sessions the rule is limited. */
  in: z.optional(z.string()),
  /** Agent and kind of calls to which the rule is limited. */
  agent: z.optional(z.string()),
  kind: z.optional(z.string()),
  /** Whether the patterns are literal. */
  exact: z.optional(z.boolean()),
  /** Working folder in which a rule for an exact command applies. */
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

export const guardStatusSchema = z.object({
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
  /** Policy files of the organisation. Older commands don't send them. */
  organisation: z.optional(z.array(z.string())),
  /** Latest decisions, newest first. */
  decisions: z.array(decisionSchema),
  refused: z.array(refusedHostSchema),
});

/** Returns whether the page may remove a rule: only allow rules in the user's own file. */
export function canTakeBack({ effect, place }: ShownRule, { file }: Pick<GuardStatus, "file">): boolean {
  return effect === "allow" && place.startsWith(`${file}:`);
}

/** Returns whether the organisation's policy contains a rule. */
export function isByOrganisation(place: string, { organisation = [] }: Pick<GuardStatus, "organisation">): boolean {
  return organisation.includes(place.replace(/:\d+$/, ""));
}

export type GuardStatus = z.infer<typeof guardStatusSchema>;

const guardStateSchema = z.object({
  folder: z.string(),
  isLoading: z.boolean(),
  problem: z.optional(z.string()),
  /** Display names of agents, by the names that the `symposium-acp-agent` command uses. */
  names: z.record(z.string(), z.string()),
  status: z.optional(guardStatusSchema),
});
export type GuardState = z.infer<typeof guardStateSchema>;

/** Messages to the _Guard_ page. After each change, the page receives the whole state. */
export const toGuardSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("guard-state"), state: guardStateSchema }),
]);

export const fromGuardSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("guard-ready") }),
  z.object({ type: z.literal("refresh") }),
  /** Sets the level of an agent; `default` removes the agent's entry from the file. */
  z.object({ type: z.literal("set-level"), agent: z.string(), level: z.enum([...level.options, "default"]) }),
  /** Allows a host that was refused; the extension asks the user for the scope. */
  z.object({ type: z.literal("open-host"), host: z.string() }),
  /** Removes one of the user's allow rules from the file. The rule is sent as the page shows it. */
  z.object({
    type: z.literal("take-back"),
    place: z.string(),
    subject: z.string(),
    patterns: z.array(z.string()),
  }),
  z.object({ type: z.literal("open-place"), place: z.string() }),
  /** Opens the user's guard.jsonc; creates the file if it doesn't exist. */
  z.object({ type: z.literal("open-file") }),
]);
export type FromGuard = z.infer<typeof fromGuardSchema>;
