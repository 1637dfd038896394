import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../../base/logger.js";
import { answerLine, incomingOf, type McpIncoming } from "../../mcp/mcp-endpoint.js";
import type { McpOutcome } from "../../mcp/mcp-server.js";
import { mcpError } from "../../mcp/outcome.js";
import { mcpMethods } from "../../mcp/wire.js";
import { Frame } from "../../rpc/frame.js";
import { rpcErrorCodes } from "../../rpc/rpc-error.js";
import { admit, isRefusal } from "./access.js";
import { headerProblem, isStatelessCall } from "./http-headers.js";
import type { ExposedServer } from "./loopback-bridge.js";

const maxBodyBytes = 64 * 1024 * 1024;
const keepAliveMs = 15_000;

type Call = Pick<McpIncoming, "method" | "params"> & { readonly id: string };

/**
 * One HTTP exchange of MCP's Streamable HTTP transport, revisions 2025-06-18 to 2026-07-28, without transport sessions:
 * POST, and GET where a server has lists that change. Calls of tools answer as a stream at once, so that silent tools
 * outlive clients' idle limits.
 */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  find: (path: string) => ExposedServer | undefined,
  logger: Logger,
): Promise<void> {
  const exposed = admit(request, find);
  if (isRefusal(exposed)) {
    refuse(response, exposed.status, exposed.headers);
    return;
  }
  if (request.method === "GET" && exposed.endpoint.announces && acceptsStream(request)) {
    announce(response, exposed);
    return;
  }
  if (request.method !== "POST") {
    refuse(response, 405, { Allow: exposed.endpoint.announces ? "GET, POST" : "POST" });
    return;
  }
  const body = await readBody(request);
  if (body === undefined) {
    refuse(response, 413);
    return;
  }
  const frame = scan(body);
  if (!(frame instanceof Frame)) {
    answer(response, 400, answerLine("null", frame));
    return;
  }
  const message = incomingOf(frame);
  if (!message?.id) {
    // Notifications, and answers to requests we never send: accepted, nothing to say.
    if (message) void exposed.endpoint.handle({ ...message, signal: neverAborted, send: () => undefined });
    refuse(response, 202);
    return;
  }
  const call: Call = { method: message.method, params: message.params, id: message.id };
  const problem = headerProblem(request.headers, call.method, call.params);
  if (problem) {
    answer(response, 400, answerLine(call.id, problem));
    return;
  }
  logger.debug("mcp call", { method: call.method });
  await run(request, response, exposed, call);
}

async function run(
  request: IncomingMessage,
  response: ServerResponse,
  exposed: ExposedServer,
  call: Call,
): Promise<void> {
  const controller = new AbortController();
  // Leaving means cancelling since 2026-07-28; before, a caller that left had only lost its connection.
  if (isStatelessCall(call.params)) response.on("close", () => controller.abort());
  const isStream =
    acceptsStream(request) && (call.method === mcpMethods.toolsCall || call.method === mcpMethods.listen);
  const stream = isStream ? openStream(response) : undefined;
  const result = await exposed.endpoint.handle({
    ...call,
    signal: controller.signal,
    send: (line) => stream?.send(line),
  });
  const line = result && answerLine(call.id, result.outcome);
  if (stream) stream.end(line);
  else if (result && line !== undefined) answer(response, result.httpStatus, line);
  else refuse(response, 202);
}

/** The stream on which clients of the handshake era hear of changed lists. */
function announce(response: ServerResponse, { endpoint }: ExposedServer): void {
  const stream = openStream(response);
  const listening = endpoint.announceTo(
    (line) => stream.send(line),
    () => stream.end(undefined),
  );
  response.on("close", () => listening[Symbol.dispose]());
}

function openStream(response: ServerResponse): { send(line: string): void; end(line: string | undefined): void } {
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
  });
  response.write(": open\n\n");
  const timer = setInterval(() => response.write(": waiting\n\n"), keepAliveMs);
  timer.unref();
  response.on("close", () => clearInterval(timer));
  const send = (line: string): void => {
    if (!response.writableEnded) response.write(`event: message\ndata: ${line}\n\n`);
  };
  return {
    send,
    end(line) {
      clearInterval(timer);
      if (line !== undefined) send(line);
      response.end();
    },
  };
}

const neverAborted = new AbortController().signal;

function acceptsStream(request: IncomingMessage): boolean {
  return (request.headers.accept ?? "").includes("text/event-stream");
}

function scan(body: string): Frame | McpOutcome {
  try {
    const value: unknown = JSON.parse(body);
    if (Array.isArray(value)) return mcpError(rpcErrorCodes.invalidRequest, "batches are not supported");
  } catch {
    return mcpError(rpcErrorCodes.parseError, "the body is not JSON");
  }
  return Frame.scan(body.trim()) ?? mcpError(rpcErrorCodes.invalidRequest, "a message is a JSON object");
}

/** The body as text, or undefined when it is larger than the limit. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBodyBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return "";
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answer(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(line);
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...headers, "Content-Length": "0" }).end();
}
