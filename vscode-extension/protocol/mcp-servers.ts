import * as z from "zod/mini";

const shownServerSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Display name of the server's origin. */
  from: z.string(),
  transport: z.string(),
  /** Command or address. */
  start: z.string(),
  state: z.enum(["running", "starting", "sign-in", "failed", "off", "not-approved", "incomplete", "idle"]),
  text: z.string(),
  /** Reason for the state, or a remedy. */
  detail: z.optional(z.string()),
  /** Last error, if the server works now. */
  lastError: z.optional(z.string()),
  /** Undefined until the tools are known. */
  tools: z.optional(z.array(z.object({ name: z.string(), bytes: z.number(), isLeftOut: z.boolean() }))),
  isBusy: z.boolean(),
  /** Actions; the extension receives `id`. If a step is needed, it is first. */
  actions: z.array(z.object({ id: z.string(), label: z.string() })),
});
export type ShownServer = z.infer<typeof shownServerSchema>;

const mcpServersStateSchema = z.object({
  folder: z.string(),
  isLoading: z.boolean(),
  problem: z.optional(z.string()),
  servers: z.array(shownServerSchema),
});
export type McpServersState = z.infer<typeof mcpServersStateSchema>;

/** Messages to the MCP servers page: the whole state after each change. */
export const toMcpServersSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("mcp-servers-state"), state: mcpServersStateSchema }),
]);

export const fromMcpServersSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("mcp-servers-ready") }),
  z.object({ type: z.literal("refresh") }),
  z.object({ type: z.literal("add") }),
  z.object({ type: z.literal("open-config") }),
  z.object({ type: z.literal("act"), server: z.string(), action: z.string() }),
  z.object({ type: z.literal("switch-tool"), server: z.string(), tool: z.string(), isOn: z.boolean() }),
]);
export type FromMcpServers = z.infer<typeof fromMcpServersSchema>;
