import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { LineSplitter } from "../../line-splitter.js";
import { invalidArguments } from "../../symposium-error.js";
import { lineClient } from "../../mcp/mcp-endpoint.js";
import { LineWriter } from "../line-writer.js";
import { refuseUpgrade } from "../loopback-server.js";
import { admit, type ExposedServer, isRefusal } from "./admission.js";

export const shimEnvironment = { url: "SYMPOSIUM_MCP_URL", token: "SYMPOSIUM_MCP_TOKEN" } as const;

const shimProtocol = "symposium-mcp";

/** Handles a connection of the stdio shim: JSON-RPC lines in both directions until one side ends. */
export function serveUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  find: (path: string) => ExposedServer | undefined,
): void {
  const exposed = admit(request, find);
  if (isRefusal(exposed) || request.headers.upgrade !== shimProtocol) {
    refuseUpgrade(socket, isRefusal(exposed) ? exposed.status : 426);
    return;
  }
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${shimProtocol}\r\n\r\n`);
  serveLines(socket, head, exposed);
}

function serveLines(socket: Duplex, head: Buffer, { endpoint }: ExposedServer): void {
  const left = new AbortController();
  const writer = new LineWriter(socket);
  const lines = new LineSplitter(lineClient(endpoint, left.signal, (line) => writer.send(line)));
  // The socket belongs to HTTP, so its decoder must not be changed.
  const decoder = new StringDecoder("utf8");
  socket.on("data", (chunk: Buffer) => lines.push(decoder.write(chunk)));
  socket.on("end", () => writer.end());
  socket.once("close", () => left.abort());
  if (head.length > 0) lines.push(decoder.write(head));
}

/**
 * Runs the program behind a bridged stdio server: connects its stdin and stdout to the session's conductor. Resolves when either side ends.
 */
export function runStdioShim(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const url = env[shimEnvironment.url];
  const token = env[shimEnvironment.token];
  if (url === undefined || token === undefined) {
    throw invalidArguments(
      `mcp-shim needs ${shimEnvironment.url} and ${shimEnvironment.token}.`,
      "Agents start it with environment variables from the conductor.",
    );
  }
  return new Promise((resolve, reject) => {
    const headers = { Connection: "Upgrade", Upgrade: shimProtocol, Authorization: `Bearer ${token}` };
    const joining = request(url, { headers });
    joining.on("error", reject);
    joining.once("response", (response) =>
      reject(new Error(`the conductor refused the connection (${response.statusCode ?? 0})`)),
    );
    joining.once("upgrade", (_response, socket, head) => {
      for (const stream of [socket, process.stdin, process.stdout]) stream.on("error", () => resolve());
      socket.once("close", () => resolve());
      if (head.length > 0) process.stdout.write(head);
      process.stdin.pipe(socket);
      socket.pipe(process.stdout);
    });
    joining.end();
  });
}
