import * as z from "zod/mini";

const tool = z.object({ name: z.string(), bytes: z.number(), isLeftOut: z.boolean() });

/** Output of `symposium-acp-agent mcp list --json`: configured servers with their last known tools. */
export const listedServers = z.array(
  z.object({
    name: z.string(),
    type: z.string(),
    state: z.enum(["on", "off", "incomplete", "not-approved"]),
    offBy: z.optional(z.enum(["entry", "exclude", "project"])),
    missing: z.array(z.string()),
    origin: z.string(),
    file: z.optional(z.string()),
    line: z.optional(z.number()),
    agents: z.optional(z.array(z.string())),
    start: z.string(),
    isSignedIn: z.optional(z.boolean()),
    tools: z.optional(z.array(tool)),
  }),
);
export type ListedServer = z.infer<typeof listedServers>[number];

/** Response of a running command to `_symposium/mcpServers/list`: the servers of its sessions. */
export const runningServers = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      origin: z.object({ kind: z.string(), file: z.optional(z.string()) }),
      type: z.string(),
      state: z.object({
        kind: z.string(),
        reason: z.optional(z.string()),
        hint: z.optional(z.string()),
        retryAt: z.optional(z.number()),
      }),
      tools: z.array(tool),
      sessions: z.number(),
    }),
  ),
});
export type RunningServer = z.infer<typeof runningServers>["servers"][number];
