import type { IncomingMessage, Server, ServerResponse, IncomingHttpHeaders } from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../logger.js";
import { messageOf } from "../symposium-error.js";
import { createHash, timingSafeEqual } from "node:crypto";

/**
 * How long a listener keeps a connection on which nothing is asked, in milliseconds: longer than the pools of clients do (Bun's 5
 * minutes, Go's 90 s). After Node's 5 s it would be closed in the very moment in which a model has thought and its agent
 * calls the next tool: Bun then says that the socket was closed unexpectedly, and the call is lost.
 */
export const keepAliveMs = 10 * 60_000;

interface LoopbackHandlers {
  /** Answers a request; a rejection is answered with status 500. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Takes over a connection that asks for another protocol; without it, such a request is served as any other. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** HTTP on 127.0.0.1 that no client can end, whatever it sends and whenever it leaves. Disposing closes every connection. */
export class LoopbackServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #connections: Connections;

  constructor(
    private readonly handlers: LoopbackHandlers,
    private readonly logger: Logger,
  ) {
    // Importing node:http costs 40 ms and 10 MB, for a WebSocket client that its module facade drags in.
    const { createServer } = process.getBuiltinModule("node:http");
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#connections = new Connections(this.#server, logger);
    // Answers may take an hour: an agent, or a tool, thinks.
    this.#server.requestTimeout = 0;
    this.#server.keepAliveTimeout = keepAliveMs;
    if (handlers.upgrade) this.#server.on("upgrade", handlers.upgrade.bind(handlers));
  }

  /** Listens, on any free port for 0, and resolves with the port. */
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

/** Whether a program or a page of this machine asks: browsers of others are known by their Origin and by rebound Host names. */
export function isLocal({ host, origin }: IncomingHttpHeaders): boolean {
  return isLoopback(`http://${host ?? ""}`) && (origin === undefined || isLoopback(origin));
}

/** Whether the request carries `token`, which keeps out the other programs of this machine. */
export function hasToken({ authorization }: IncomingHttpHeaders, token: string): boolean {
  return isSame(/^Bearer (\S+)$/i.exec(authorization ?? "")?.[1] ?? "", token);
}

/** Whether a request to a proxy carries this name and password, as `Basic` has them. */
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

/** Compares digests, so that neither length nor content can be timed. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * The connections of a listener. Each has its `error` listener from the moment when it is accepted, before anything is read or
 * written, and whatever becomes of it later: a client that resets its connection would end this process otherwise. So has
 * the listener itself. Disposing closes the connections.
 */
export class Connections implements Disposable {
  readonly #open = new Set<Socket>();

  constructor(server: NetServer, logger: Logger) {
    server.on("connection", (socket) => {
      this.#open.add(socket);
      socket.on("error", (error) => logger.debug("a connection failed", { reason: error.message }));
      socket.once("close", () => this.#open.delete(socket));
    });
    // Whoever makes it listen hears of a failure to do so.
    server.on("error", (error) => {
      if (server.listening) logger.warn("the listener had an error", { reason: error.message });
    });
  }

  [Symbol.dispose](): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/**
 * The body of a request as text, or undefined when it is longer than `limitBytes`: what is left of it is not read then, so
 * the answer must close the connection. Rejects when the client leaves before the end.
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
