import * as z from "zod/mini";

const shownServerSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Display name of the file or component that defines the server. */
  from: z.string(),
  transport: z.string(),
  /** Start command or URL of the server. */
  start: z.string(),
  state: z.enum(["running", "starting", "sign-in", "failed", "off", "not-approved", "incomplete", "idle"]),
  text: z.string(),
  /** Reason for the state, or a remedy. */
  detail: z.optional(z.string()),
  /** The server's last error; only set if the server works again. */
  lastError: z.optional(z.string()),
  /** The server's tools; absent until they are known. */
  tools: z.optional(z.array(z.object({ name: z.string(), bytes: z.number(), isLeftOut: z.boolean() }))),
  isBusy: z.boolean(),
  /** Actions for the server; the extension receives the chosen action's `id`. A necessary action is listed first. */
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

/** Messages to the MCP servers page. After each change, the page receives the whole state. */
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
