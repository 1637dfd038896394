import { attempt } from "../attempt.js";
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

export interface ServerLimits {
  /** Certificate and private key in PEM format. If set, the server speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly maxConnections?: number;
  /** Milliseconds that a client has to send a request's headers. */
  readonly headersMs?: number;
}

/** HTTP server that no client behavior can crash, on 127.0.0.1 by default. Disposing closes all connections. */
export class LoopbackServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #connections: Connections;

  constructor(
    private readonly handlers: LoopbackHandlers,
    private readonly logger: Logger,
    { tls, maxConnections, headersMs }: ServerLimits = {},
  ) {
    // Importing `node:http` as a module costs 40 ms and 10 MB, because its facade loads a WebSocket client.
    const { createServer } = process.getBuiltinModule("node:http");
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response);
    const limits = headersMs === undefined ? {} : { headersTimeout: headersMs, connectionsCheckingInterval: headersMs };
    this.#server = tls
      ? process.getBuiltinModule("node:https").createServer({ ...tls, ...limits }, serve)
      : createServer(limits, serve);
    if (maxConnections !== undefined) this.#server.maxConnections = maxConnections;
    this.#connections = new Connections(this.#server, logger);
    // Responses may take an hour while an agent or tool works.
    this.#server.requestTimeout = 0;
    this.#server.keepAliveTimeout = keepAliveMs;
    if (handlers.upgrade) this.#server.on("upgrade", handlers.upgrade.bind(handlers));
  }

  listen(port: number, address = "127.0.0.1"): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, address, () => {
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
  return isLoopback(urlOfHost(host)) && (origin === undefined || isLoopback(origin));
}

/** Whether the request has `token`, which other local programs don't know. */
export function hasToken({ authorization }: IncomingHttpHeaders, token: string): boolean {
  return isSame(/^Bearer (\S+)$/i.exec(authorization ?? "")?.[1] ?? "", token);
}

export function hasPassword(headers: IncomingHttpHeaders, user: string, password: string): boolean {
  const given = /^Basic ([\w+/=-]+)$/i.exec(headers["proxy-authorization"] ?? "")?.[1] ?? "";
  return isSame(Buffer.from(given, "base64").toString("utf8"), `${user}:${password}`);
}

/** Host name in a `Host` header, without the port; undefined if invalid. */
export function hostName({ host }: IncomingHttpHeaders): string | undefined {
  return hostnameIn(urlOfHost(host));
}

/** Whether the host name means this machine, without a lookup. */
export function isLoopbackName(name: string | undefined): boolean {
  return name !== undefined && (loopbackHosts.has(name) || /^127(?:\.\d+){3}$/.test(name));
}

function isLoopback(url: string): boolean {
  return isLoopbackName(hostnameIn(url));
}

function urlOfHost(host: string | undefined): string {
  return `http://${host ?? ""}`;
}

function hostnameIn(url: string): string | undefined {
  return attempt(() => new URL(url).hostname);
}

/** Answers a protocol upgrade with an error status and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  // Destroy the socket explicitly, since a client that stays connected would leave it half-open.
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
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
    const handleErrors = (socket: Socket): void => {
      socket.on("error", (error) => logger.debug("a connection failed", { reason: error.message }));
    };
    server.on("secureConnection", handleErrors);
    server.on("connection", (socket) => {
      this.#open.add(socket);
      handleErrors(socket);
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
