import * as z from "zod/mini";
import { branchSchema } from "./branch.js";
import { attachmentSchema } from "./content.js";

/** Picker offered by the agent as an ACP config option: mode, model, thought level or another option. */
const configOptionSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  /** Category of the option: mode, model, thought_level, model_config or other; default: other. */
  category: z.optional(z.string()),
  value: z.union([z.string(), z.boolean()]),
  /** Values to choose from; absent if the option is a switch. */
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

/** Slash command of the agent or a proxy. `hint` is the placeholder for its input. */
const commandSchema = z.object({
  name: z.string(),
  description: z.string(),
  hint: z.optional(z.string()),
});
export type Command = z.infer<typeof commandSchema>;

const queuedPromptSchema = z.object({
  messageId: z.string(),
  text: z.string(),
  attachments: z.array(attachmentSchema),
  /** Alternative prompts at the same position of the conversation, including this prompt. */
  branches: z.optional(z.array(branchSchema)),
  /** Whether the prompt is being sent into the running turn; it can't be changed until the agent answers. */
  isSteering: z.optional(z.boolean()),
  /** Reason why the prompt waits, if the reason isn't obvious. */
  note: z.optional(z.string()),
});
export type QueuedPrompt = z.infer<typeof queuedPromptSchema>;

/** Tokens used in the agent's context, out of `size`; the cost is in `currency`. */
const usageSchema = z.object({
  used: z.number(),
  size: z.number(),
  cost: z.optional(z.object({ amount: z.number(), currency: z.string() })),
});

/** Limit of the user's account with the agent: `used` is between 0 and 1, `resetsAt` in milliseconds since 1970. */
const limitSchema = z.object({
  name: z.string(),
  /** Status of the limit: allowed, allowed_warning, rejected, or a value that only the agent defines. */
  status: z.string(),
  used: z.optional(z.number()),
  resetsAt: z.optional(z.number()),
});
export type Limit = z.infer<typeof limitSchema>;

/** File that the agent changed in this tab and the user has neither accepted nor undone. */
const changedFileSchema = z.object({
  uri: z.string(),
  label: z.string(),
  added: z.number(),
  removed: z.number(),
  state: z.enum(["created", "modified", "deleted"]),
  /** Note about aspects of the change that line counts don't show. */
  note: z.optional(z.string()),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;

/** Scroll position: a row and its distance in pixels from the top of the view. */
export const positionSchema = z.object({ key: z.string(), offset: z.number() });
export type Position = z.infer<typeof positionSchema>;

/** State of a tab without transcript and draft. */
export const tabStateSchema = z.object({
  title: z.string(),
  agentId: z.string(),
  agentName: z.string(),
  /**
   * Name of the tab's folder. Set only if the tab has a folder of its own, the user chose one of several folders, or the continued
   * conversation had another folder.
   */
  folder: z.optional(z.string()),
  worktree: z.optional(z.object({ name: z.string(), branch: z.string(), path: z.string() })),
  /**
   * Phase of the tab:
   * - starting: there is no session yet
   * - restoring: an old session is being reopened
   * - running: a turn is open
   * - failed: the last notice explains why
   */
  phase: z.enum(["starting", "restoring", "ready", "running", "stopping", "failed"]),
  /** Start of the running turn in milliseconds since the epoch. */
  turnStartedAt: z.optional(z.number()),
  options: z.array(configOptionSchema),
  commands: z.array(commandSchema),
  usage: z.optional(usageSchema),
  limits: z.optional(z.array(limitSchema)),
  queue: z.array(queuedPromptSchema),
  /**
   * Content that the agent accepts. `image` is true until the agent has announced whether it supports images. `steering`: prompts can be
   * sent into a running turn.
   */
  accepts: z.object({ image: z.boolean(), audio: z.boolean(), steering: z.optional(z.boolean()) }),
  /** Number of requests that wait for the user. */
  waiting: z.number(),
  /** Whether a turn ended while the tab wasn't visible. */
  isUnread: z.boolean(),
  changedFiles: z.array(changedFileSchema),
});
export type TabState = z.infer<typeof tabStateSchema>;

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
