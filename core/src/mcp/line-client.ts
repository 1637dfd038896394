import type { LineHandlers } from "../base/line-splitter.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import { answerLine, readIncoming } from "./incoming.js";
import type { McpEndpoint } from "./mcp-endpoint.js";
import { mcpError } from "./outcome.js";
import { mcpMethods } from "./wire.js";

/**
 * Takes the lines of one client of MCP's stdio transport until `signal` is aborted, and answers by `send` every request and
 * whatever is no message.
 */
export function lineClient(endpoint: McpEndpoint, signal: AbortSignal, send: (line: string) => void): LineHandlers {
  let announcing: Disposable | undefined;
  signal.addEventListener("abort", () => announcing?.[Symbol.dispose](), { once: true });
  return {
    line(line) {
      const received = readIncoming(line);
      if (received.kind === "fault") send(answerLine(received.id, received.outcome));
      if (received.kind !== "call") return;
      const { call } = received;
      // Clients of the stateless revision subscribe instead.
      if (call.method === mcpMethods.initialized) announcing ??= endpoint.announceTo(send);
      void endpoint.handle({ ...call, signal, send }).then((answer) => {
        if (answer && call.id !== undefined) send(answerLine(call.id, answer.outcome));
      });
    },
    oversize: () => send(answerLine("null", mcpError(rpcErrorCodes.invalidRequest, "the message is too long"))),
  };
}
