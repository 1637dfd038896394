import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { acpMethods } from "../../../../base/acp/methods.js";
import type { Logger } from "../../../../base/logger.js";
import { LoopbackServer, readBody, refuseUpgrade, type ServerLimits } from "../../../../base/node/loopback-server.js";
import { Frame } from "../../../../base/rpc/frame.js";
import { type Admission, refusalOf } from "./admission.js";
import { type ConnectClient, HttpClient } from "./http-client.js";
import type { ListenAddress } from "./listen-address.js";
import { serveWebSocket } from "./web-socket-client.js";

interface NetworkListenerOptions {
  readonly admission: Admission;
  readonly connect: ConnectClient;
  readonly tls?: ServerLimits["tls"];
  readonly maxMessageBytes: number;
  /** Maximum number of connected clients; default: 32. */
  readonly maxClients?: number;
  /** Milliseconds without an event stream after which the listener disconnects an HTTP client; default: a minute. */
  readonly goneMs?: number;
  readonly logger: Logger;
}

const connectionHeader = "Acp-Connection-Id";
const sessionHeader = "Acp-Session-Id";
const headersMs = 5_000;

/**
 * Serves ACP over Streamable HTTP and WebSocket (the transport RFD) at one endpoint. Each client gets its own connection to the host, and
 * messages pass unchanged.
 */
export class NetworkListener implements AsyncDisposable {
  readonly #server: LoopbackServer;
  readonly #webSockets: WebSocketServer;
  readonly #clients = new Map<string, HttpClient>();

  constructor(private readonly options: NetworkListenerOptions) {
    const { tls, maxMessageBytes, logger } = options;
    this.#webSockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
    this.#webSockets.on("headers", (headers) => headers.push(`${connectionHeader}: ${randomUUID()}`));
    this.#server = new LoopbackServer(
      {
        serve: (request, response) => this.#serve(request, response),
        upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
      },
      logger,
      { tls, maxConnections: 512, headersMs },
    );
  }

  /** Starts listening and returns the port. Rejects with the system's error if the address can't be used. */
  listen({ ip, port }: Pick<ListenAddress, "ip" | "port">): Promise<number> {
    return this.#server.listen(port, ip);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of [...this.#clients.values()]) client.end();
    for (const socket of this.#webSockets.clients) socket.close(1001);
    await this.#server[Symbol.asyncDispose]();
  }

  get #isFull(): boolean {
    return this.#clients.size + this.#webSockets.clients.size >= (this.options.maxClients ?? 32);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket";
    const status = refusalOf(request, this.options.admission) ?? (isWebSocket ? undefined : 426);
    if (status !== undefined || this.#isFull) refuseUpgrade(socket, status ?? 503);
    else this.#webSockets.handleUpgrade(request, socket, head, (it) => serveWebSocket(it, this.options.connect));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin } = request.headers;
    const refused = refusalOf(request, this.options.admission);
    if (refused === undefined && origin !== undefined) allow(response, origin);
    const status = refused ?? (await this.#route(request, response));
    if (status !== undefined) response.writeHead(status, headersOf(status)).end();
  }

  /** Returns the status of a response without content; undefined after a response with content. */
  async #route(request: IncomingMessage, response: ServerResponse): Promise<number | undefined> {
    switch (request.method) {
      case "POST":
        return this.#post(request, response);
      case "GET":
        return this.#get(request, response);
      case "DELETE":
        return this.#delete(request);
      case "OPTIONS":
        return 204;
      default:
        return 405;
    }
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<number | undefined> {
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) return 415;
    const id = header(request, connectionHeader);
    const client = this.#clients.get(id ?? "");
    if (id !== undefined && !client) return 404;
    await client?.takesMore();
    const body = await readBody(request, this.options.maxMessageBytes);
    if (body === undefined) return 413;
    const frame = Frame.scan(body);
    // The transport has no batches.
    if (!frame) return body.trimStart().startsWith("[") ? 501 : 400;
    const isFirst = frame.methodName === acpMethods.initialize && frame.id.isPresent;
    if (client && !isFirst) return client.receive(frame, header(request, sessionHeader));
    return client || !isFirst ? 400 : this.#open(frame, response);
  }

  async #open({ text, id }: Frame, response: ServerResponse): Promise<number | undefined> {
    if (this.#isFull) return 503;
    const client: HttpClient = new HttpClient({
      connect: this.options.connect,
      goneMs: this.options.goneMs ?? 60_000,
      onEnd: () => this.#clients.delete(client.id),
    });
    this.#clients.set(client.id, client);
    const leave = (): void => client.end();
    response.once("close", leave);
    const answer = await client.initialize(text, id.of(text));
    response.off("close", leave);
    if (answer === undefined) return 502;
    response.writeHead(200, { "Content-Type": "application/json", [connectionHeader]: client.id }).end(answer);
    return undefined;
  }

  #get(request: IncomingMessage, response: ServerResponse): number | undefined {
    if (!(request.headers.accept ?? "").includes("text/event-stream")) return 406;
    const id = header(request, connectionHeader);
    if (id === undefined) return 400;
    const client = this.#clients.get(id);
    return client ? client.open(response, header(request, sessionHeader)) : 404;
  }

  #delete(request: IncomingMessage): number {
    const id = header(request, connectionHeader);
    if (id === undefined) return 400;
    const client = this.#clients.get(id);
    client?.end();
    return client ? 202 : 404;
  }
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Allows a listed web page to read the answers (the Fetch standard, CORS). */
function allow(response: ServerResponse, origin: string): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Credentials", "true");
  response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
  response.setHeader(
    "Access-Control-Allow-Headers",
    `Authorization, Content-Type, ${connectionHeader}, ${sessionHeader}`,
  );
  response.setHeader("Access-Control-Expose-Headers", connectionHeader);
  response.setHeader("Vary", "Origin");
}

function headersOf(status: number): Readonly<Record<string, string>> {
  if (status === 204) return {};
  const empty = { "Content-Length": "0" };
  // Close the connection of a client without the token or with another path, and don't read the rest of a large body.
  if ([401, 403, 404, 413].includes(status)) return { ...empty, Connection: "close" };
  return status === 405 ? { ...empty, Allow: "GET, POST, DELETE" } : empty;
}
