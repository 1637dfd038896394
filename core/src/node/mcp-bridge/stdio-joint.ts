import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { LineSplitter } from "../../base/line-splitter.js";
import { lineClient } from "../../mcp/line-client.js";
import { LineWriter } from "../line-writer.js";
import { admit, isRefusal } from "./admission.js";
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
    // Closed by us: a client that stays would keep half of it.
    socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
    return;
  }
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${shimProtocol}\r\n\r\n`);
  serveLines(socket, head, exposed);
}

function serveLines(socket: Duplex, head: Buffer, { endpoint }: ExposedServer): void {
  const left = new AbortController();
  const writer = new LineWriter(socket);
  const lines = new LineSplitter(lineClient(endpoint, left.signal, (line) => writer.send(line)));
  // The socket still counts as HTTP's, which must not decode it.
  const decoder = new StringDecoder("utf8");
  socket.on("data", (chunk: Buffer) => lines.push(decoder.write(chunk)));
  socket.on("end", () => writer.end());
  socket.once("close", () => left.abort());
  if (head.length > 0) lines.push(decoder.write(head));
}
