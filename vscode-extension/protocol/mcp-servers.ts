import * as z from "zod/mini";

/** One MCP server as the page shows it, with a button for each thing that can be done. */
const shownServerSchema = z.object({
  /** Unique on the page. */
  id: z.string(),
  name: z.string(),
  /** Who names it, for people. */
  from: z.string(),
  transport: z.string(),
  /** Its command, or its address. */
  start: z.string(),
  state: z.enum(["running", "starting", "sign-in", "failed", "off", "not-approved", "incomplete", "idle"]),
  /** The state in words. */
  text: z.string(),
  /** Why it is so, or what to do. */
  detail: z.optional(z.string()),
  /** What went wrong before, where it is right now. */
  lastError: z.optional(z.string()),
  /** Undefined where nobody has seen them yet. */
  tools: z.optional(z.array(z.object({ name: z.string(), bytes: z.number(), isLeftOut: z.boolean() }))),
  isBusy: z.boolean(),
  /** `id` goes back to the extension. The first one is what to do next where there is something to do. */
  actions: z.array(z.object({ id: z.string(), label: z.string() })),
});
export type ShownServer = z.infer<typeof shownServerSchema>;

const mcpServersStateSchema = z.object({
  folder: z.string(),
  isLoading: z.boolean(),
  /** Why the list could not be had. */
  problem: z.optional(z.string()),
  servers: z.array(shownServerSchema),
});
export type McpServersState = z.infer<typeof mcpServersStateSchema>;

/** What the extension tells the page of MCP servers: the whole state, whenever it changes. */
export const toMcpServersSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("mcp-servers-state"), state: mcpServersStateSchema }),
]);

/** What the page of MCP servers asks the extension to do. */
export const fromMcpServersSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("mcp-servers-ready") }),
  z.object({ type: z.literal("refresh") }),
  z.object({ type: z.literal("add") }),
  z.object({ type: z.literal("open-config") }),
  /** One of the actions of a server. */
  z.object({ type: z.literal("act"), server: z.string(), action: z.string() }),
  /** A tool of a server: agents get it, or do not. */
  z.object({ type: z.literal("switch-tool"), server: z.string(), tool: z.string(), isOn: z.boolean() }),
]);
export type FromMcpServers = z.infer<typeof fromMcpServersSchema>;
