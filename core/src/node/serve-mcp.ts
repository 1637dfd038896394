import { answerLine, incomingOf, McpEndpoint } from "../mcp/mcp-endpoint.js";
import type { McpServer } from "../mcp/mcp-server.js";
import { mcpError } from "../mcp/outcome.js";
import { Frame } from "../rpc/frame.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import { type StdioChannel, stdioChannel } from "./stdio-channel.js";

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
  const channel = stdioChannel({
    handlers: {
      line: (line) => void answer(line, endpoint, channel, left.signal),
      oversize: () =>
        channel.send(answerLine("null", mcpError(rpcErrorCodes.invalidRequest, "the message is too long"))),
      end: leave,
    },
  });
  if (stop.aborted) leave();
  stop.addEventListener("abort", leave, { once: true });
  await ended;
  stop.removeEventListener("abort", leave);
  endpoint[Symbol.dispose]();
  await Promise.race([channel.flushed(), new Promise((resolve) => setTimeout(resolve, flushMs).unref())]);
  channel[Symbol.dispose]();
}

async function answer(line: string, endpoint: McpEndpoint, channel: StdioChannel, signal: AbortSignal): Promise<void> {
  const frame = Frame.scan(line);
  if (!frame) {
    channel.send(answerLine("null", mcpError(rpcErrorCodes.parseError, "the line is not JSON")));
    return;
  }
  const message = incomingOf(frame);
  const outcome = message && (await endpoint.handle({ ...message, signal, send: (text) => channel.send(text) }));
  if (outcome && message.id !== undefined) channel.send(answerLine(message.id, outcome.outcome));
}
