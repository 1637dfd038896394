import type { IncomingMessage, Server, ServerResponse, IncomingHttpHeaders } from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../logger.js";
import { messageOf } from "../symposium-error.js";
import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Time for which an idle connection stays open, in milliseconds. Longer than clients' pools (Bun 5 minutes, Go 90 s): with Node's 5 s,
 * connections close just when an agent calls its next tool, and Bun loses that call with "socket was closed unexpectedly".
 */
export const keepAliveMs = 10 * 60_000;

interface LoopbackHandlers {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Handles a protocol upgrade. If absent, upgrade requests are served like other requests. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** HTTP server on 127.0.0.1 that no client behavior can crash. Disposing closes all connections. */
export class LoopbackServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #connections: Connections;

  constructor(
    private readonly handlers: LoopbackHandlers,
    private readonly logger: Logger,
  ) {
    // Importing `node:http` as a module costs 40 ms and 10 MB, because its facade loads a WebSocket client.
    const { createServer } = process.getBuiltinModule("node:http");
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#connections = new Connections(this.#server, logger);
    // Responses may take an hour while an agent or tool works.
    this.#server.requestTimeout = 0;
    this.#server.keepAliveTimeout = keepAliveMs;
    if (handlers.upgrade) this.#server.on("upgrade", handlers.upgrade.bind(handlers));
  }

  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", () => {
        this.#server.off("error", reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#connections[Symbol.dispose]();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const stream of [request, response]) {
      stream.on("error", (error) => this.logger.debug("an exchange failed", { reason: error.message }));
    }
    try {
      await this.handlers.serve(request, response);
    } catch (failure) {
      if (response.destroyed) return; // Nobody waits any more.
      this.logger.error("a request failed", { message: messageOf(failure) });
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "Content-Length": "0" }).end();
    }
  }
}

const loopbackHosts = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Whether the request comes from this machine. Detects browsers on other sites by Origin and by rebound Host names. */
export function isLocal({ host, origin }: IncomingHttpHeaders): boolean {
  return isLoopback(`http://${host ?? ""}`) && (origin === undefined || isLoopback(origin));
}

/** Whether the request has `token`, which other local programs don't know. */
export function hasToken({ authorization }: IncomingHttpHeaders, token: string): boolean {
  return isSame(/^Bearer (\S+)$/i.exec(authorization ?? "")?.[1] ?? "", token);
}

export function hasPassword(headers: IncomingHttpHeaders, user: string, password: string): boolean {
  const given = /^Basic ([\w+/=-]+)$/i.exec(headers["proxy-authorization"] ?? "")?.[1] ?? "";
  return isSame(Buffer.from(given, "base64").toString("utf8"), `${user}:${password}`);
}

function isLoopback(url: string): boolean {
  try {
    return loopbackHosts.has(new URL(url).hostname);
  } catch {
    return false;
  }
}

/** Compares digests, so that timing reveals neither length nor content. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * Open connections of a listener. Adds an `error` listener to each connection on accept and to the listener itself, because an unhandled
 * connection reset would end the process. Disposing closes the connections.
 */
export class Connections implements Disposable {
  readonly #open = new Set<Socket>();

  constructor(server: NetServer, logger: Logger) {
    server.on("connection", (socket) => {
      this.#open.add(socket);
      socket.on("error", (error) => logger.debug("a connection failed", { reason: error.message }));
      socket.once("close", () => this.#open.delete(socket));
    });
    // Errors while starting to listen go to the caller of `listen`.
    server.on("error", (error) => {
      if (server.listening) logger.warn("the listener had an error", { reason: error.message });
    });
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/**
 * Reads the request body as text. Undefined above `limitBytes`; the rest stays unread, so the response must close the connection. Rejects
 * if the client disconnects early.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
