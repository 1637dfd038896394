import { lineClient, McpEndpoint } from "../mcp/mcp-endpoint.js";
import type { McpServer } from "../mcp/mcp-server.js";
import { stdioChannel } from "./stdio-channel.js";

/** How long the last answers may take to reach a client that reads slowly, once we are leaving. */
const flushMs = 2_000;

/**
 * Serves one MCP client on our stdin and stdout, whatever revision it speaks, until its input ends or `stop` is
 * aborted. What still runs then is cancelled and not answered.
 */
export async function serveMcp(server: McpServer, stop: AbortSignal): Promise<void> {
  const endpoint = new McpEndpoint(server);
  const left = new AbortController();
  const leave = (): void => left.abort();
  const ended = new Promise<void>((resolve) => left.signal.addEventListener("abort", () => resolve(), { once: true }));
  const client = lineClient(endpoint, left.signal, (line) => channel.send(line));
  const channel = stdioChannel({ handlers: { ...client, end: leave } });
  if (stop.aborted) leave();
  stop.addEventListener("abort", leave, { once: true });
  await ended;
  stop.removeEventListener("abort", leave);
  endpoint[Symbol.dispose]();
  await Promise.race([channel.flushed(), new Promise((resolve) => setTimeout(resolve, flushMs).unref())]);
  channel[Symbol.dispose]();
}
