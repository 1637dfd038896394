import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../../logger.js";
import { oneLine } from "../../line-splitter.js";
import { answerLine, type McpCall, readIncoming } from "../../mcp/mcp-endpoint.js";
import { mcpError, type McpOutcome } from "../../mcp/mcp-server.js";
import { mcpErrorCodes, mcpMethods, metaKeys, statelessVersion } from "../../mcp/wire.js";
import { asObject, type Json } from "../../rpc/json.js";
import { rpcErrorCodes } from "../../rpc/rpc-error.js";
import { readBody } from "../loopback-server.js";
import { admit, type ExposedServer, isRefusal } from "./admission.js";

const maxBodyBytes = 64 * 1024 * 1024;
const keepAliveMs = 15_000;

type Request = McpCall & { readonly id: string };

/**
 * Serves one HTTP exchange of MCP's Streamable HTTP transport, revisions 2025-06-18 to 2026-07-28, without transport sessions. Supports
 * POST, and GET if a server's lists can change. Tool calls respond with a stream immediately, so that slow tools outlast clients' idle
 * limits.
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
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) {
    refuse(response, 413, { Connection: "close" });
    return;
  }
  const received = readIncoming(body);
  if (received.kind === "fault") {
    answer(response, 400, answerLine(received.id, received.outcome));
    return;
  }
  const message = received.kind === "call" ? received.call : undefined;
  if (message?.id === undefined) {
    // Accept notifications and answers without a response. Answers have no effect, since servers never send requests.
    if (message) void exposed.endpoint.handle({ ...message, signal: neverAborted, send: () => undefined });
    refuse(response, 202);
    return;
  }
  const call: Request = { ...message, id: message.id };
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
  call: Request,
): Promise<void> {
  const controller = new AbortController();
  // Since 2026-07-28 a disconnect cancels the call; in earlier revisions it doesn't.
  if (envelopeVersion(call.params) !== undefined) response.on("close", () => controller.abort());
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
    if (!response.writableEnded) response.write(`event: message\ndata: ${oneLine(line)}\n\n`);
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

function answer(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(line);
}

function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...headers, "Content-Length": "0" }).end();
}

/** Methods that require an `Mcp-Name` header, with the parameter that the header must equal (MCP 2026-07-28, transports). */
const namedBy: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** Describes a mismatch between headers and body. Undefined if they match; headers of handshake-era calls aren't checked. */
function headerProblem(headers: IncomingHttpHeaders, method: string, params: Json | undefined): McpOutcome | undefined {
  const version = envelopeVersion(params);
  const headerVersion = single(headers["mcp-protocol-version"]);
  if (version === undefined) {
    if (headerVersion === undefined || headerVersion < statelessVersion) return undefined;
    return mcpError(
      rpcErrorCodes.invalidParams,
      `MCP-Protocol-Version ${headerVersion} needs _meta["${metaKeys.protocolVersion}"]`,
    );
  }
  const expected: [header: string, value: string | undefined][] = [
    ["MCP-Protocol-Version", version],
    ["Mcp-Method", method],
  ];
  const key = namedBy[method];
  const name = key === undefined ? undefined : params?.object?.[key];
  if (typeof name === "string") expected.push(["Mcp-Name", name]);
  for (const [header, value] of expected) {
    const given = single(headers[header.toLowerCase()]);
    if (given === undefined || decode(given) !== value) {
      return mcpError(
        mcpErrorCodes.headerMismatch,
        `the header ${header} must equal the body's "${value ?? ""}", got "${given ?? ""}"`,
      );
    }
  }
  return undefined;
}

function envelopeVersion(params: Json | undefined): string | undefined {
  const version = asObject(params?.object?.["_meta"])?.[metaKeys.protocolVersion];
  return typeof version === "string" || version === undefined ? version : JSON.stringify(version);
}

function single(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

/** Decodes `=?base64?…?=`, used for values that aren't header-safe. */
function decode(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}
