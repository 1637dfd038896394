import * as z from "zod/mini";
import { branchSchema } from "./branch.js";
import { attachmentSchema } from "./content.js";

/** A picker the agent offers: mode, model, thought level or any other option, as ACP config options. */
const configOptionSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  /** mode, model, thought_level, model_config, other; absent counts as other. */
  category: z.optional(z.string()),
  value: z.union([z.string(), z.boolean()]),
  /** Absent for a switch. */
  choices: z.optional(
    z.array(
      z.object({
        value: z.string(),
        name: z.string(),
        description: z.optional(z.string()),
        group: z.optional(z.string()),
      }),
    ),
  ),
});
export type ConfigOption = z.infer<typeof configOptionSchema>;

/** A slash command of the agent or of a proxy. `hint` stands where its input goes. */
const commandSchema = z.object({
  name: z.string(),
  description: z.string(),
  hint: z.optional(z.string()),
});
export type Command = z.infer<typeof commandSchema>;

/** A prompt that waits for the running turn. */
const queuedPromptSchema = z.object({
  messageId: z.string(),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  /** Those that were sent in its place, and it. */
  branches: z.optional(z.array(branchSchema)),
  /** The agent is being told it, in the running turn: nothing can be done about it until it answers. */
  isSteering: z.optional(z.boolean()),
  /** Why it waits, where that is not plain. */
  note: z.optional(z.string()),
});
export type QueuedPrompt = z.infer<typeof queuedPromptSchema>;

/** Tokens in the agent's context now (`used`) of how many (`size`); cost is in `currency`. */
const usageSchema = z.object({
  used: z.number(),
  size: z.number(),
  cost: z.optional(z.object({ amount: z.number(), currency: z.string() })),
});

/** A limit of the agent's account: `used` is from 0 to 1, `resetsAt` in milliseconds since 1970. */
const limitSchema = z.object({
  name: z.string(),
  /** allowed, allowed_warning, rejected, or what the agent said. */
  status: z.string(),
  used: z.optional(z.number()),
  resetsAt: z.optional(z.number()),
});
export type Limit = z.infer<typeof limitSchema>;

/** A file that the agent changed in this tab and that the user has neither kept nor undone. */
const changedFileSchema = z.object({
  uri: z.string(),
  label: z.string(),
  added: z.number(),
  removed: z.number(),
  state: z.enum(["created", "modified", "deleted"]),
  /** What numbers of lines do not say, in words. */
  note: z.optional(z.string()),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;

/** Where a transcript was scrolled to: a row, and its distance in pixels from the top of the view. */
export const positionSchema = z.object({ key: z.string(), offset: z.number() });
export type Position = z.infer<typeof positionSchema>;

/** Everything about a tab but its transcript and its draft. */
export const tabStateSchema = z.object({
  title: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  /** Name of the folder it works in, where that is one of its own, one that the user chose among several, or that of an earlier conversation. */
  folder: z.optional(z.string()),
  /** The Git worktree of its own that it works in. */
  worktree: z.optional(z.object({ name: z.string(), branch: z.string(), path: z.string() })),
  /** starting: no session yet; running: a turn is open; failed: see the last notice; restoring: old session comes back. */
  phase: z.enum(["starting", "restoring", "ready", "running", "stopping", "failed"]),
  /** Milliseconds since the epoch at which the running turn began. */
  turnStartedAt: z.optional(z.number()),
  options: z.array(configOptionSchema),
  commands: z.array(commandSchema),
  usage: z.optional(usageSchema),
  limits: z.optional(z.array(limitSchema)),
  queue: z.array(queuedPromptSchema),
  /** `image`: true until the agent has said what it takes. `steering`: what the user says while a turn runs goes into that turn. */
  accepts: z.object({ image: z.boolean(), audio: z.boolean(), steering: z.optional(z.boolean()) }),
  /** Requests that wait for the user. */
  waiting: z.number(),
  /** Something ended while the user looked elsewhere. */
  isUnread: z.boolean(),
  changedFiles: z.array(changedFileSchema),
});
export type TabState = z.infer<typeof tabStateSchema>;

/** The state of a tab that has just been opened. */
export function newTabState(agent: { readonly id: string; readonly name: string }): TabState {
  return {
    title: agent.name,
    agentId: agent.id,
    agentName: agent.name,
    phase: "starting",
    options: [],
    commands: [],
    queue: [],
    accepts: { image: true, audio: false },
    waiting: 0,
    isUnread: false,
    changedFiles: [],
  };
}
