import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { LineSplitter } from "../../base/line-splitter.js";
import { answerLine, incomingOf } from "../../mcp/mcp-endpoint.js";
import { mcpError } from "../../mcp/outcome.js";
import { mcpMethods } from "../../mcp/wire.js";
import { Frame } from "../../rpc/frame.js";
import { rpcErrorCodes } from "../../rpc/rpc-error.js";
import { admit, isRefusal } from "./access.js";
import type { ExposedServer } from "./loopback-bridge.js";

/** Name of the protocol that the stdio shim upgrades to: MCP's stdio transport over the socket. */
export const shimProtocol = "symposium-mcp";

/** Takes over a connection of the stdio shim: lines of JSON-RPC both ways until one side ends. */
export function serveUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  find: (path: string) => ExposedServer | undefined,
): void {
  const exposed = admit(request, find);
  if (isRefusal(exposed) || request.headers.upgrade !== shimProtocol) {
    const status = isRefusal(exposed) ? exposed.status : 426;
    socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${shimProtocol}\r\n\r\n`);
  serveLines(socket, head, exposed);
}

function serveLines(socket: Duplex, head: Buffer, exposed: ExposedServer): void {
  const controller = new AbortController();
  const send = (line: string): void => {
    if (socket.writable) socket.write(`${line}\n`);
  };
  let announcing: Disposable | undefined;
  const greeted = (): void => {
    announcing ??= exposed.endpoint.announceTo(send);
  };
  const lines = new LineSplitter({
    line: (line) => void serveLine(line, exposed, controller.signal, send, greeted),
    oversize: () => send(answerLine("null", mcpError(rpcErrorCodes.invalidRequest, "the message is too long"))),
  });
  // The socket still counts as HTTP's, which must not decode it.
  const decoder = new StringDecoder("utf8");
  socket.on("data", (chunk: Buffer) => lines.push(decoder.write(chunk)));
  socket.on("end", () => socket.end());
  socket.on("error", () => controller.abort());
  socket.on("close", () => {
    controller.abort();
    announcing?.[Symbol.dispose]();
  });
  if (head.length > 0) lines.push(decoder.write(head));
}

async function serveLine(
  line: string,
  { endpoint }: ExposedServer,
  signal: AbortSignal,
  send: (line: string) => void,
  greeted: () => void,
): Promise<void> {
  const frame = Frame.scan(line);
  const message = frame && incomingOf(frame);
  if (!message) {
    if (!frame) send(answerLine("null", mcpError(rpcErrorCodes.parseError, "the line is not JSON")));
    return;
  }
  // Clients of the stateless revision subscribe instead.
  if (message.method === mcpMethods.initialized) greeted();
  const answer = await endpoint.handle({ ...message, signal, send });
  if (answer && message.id !== undefined) send(answerLine(message.id, answer.outcome));
}
