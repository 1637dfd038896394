import type { Agent, ClientRequest, IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { Connections, hasPassword, keepAliveMs } from "../../../base/node/loopback-server.js";
import { readAuthority, type Target, targetText } from "../../network/target.js";
import { connectAlong, findWay, Refusal, type Way, type WayParts } from "./check-and-connect.js";
import { firstWord, join } from "./tunnel.js";

interface HostProxyParts extends WayParts {
  readonly logger: Logger;
}

/** Maximum number of simultaneous connections of one sandbox. Each uses two file descriptors of this process. */
const maxConnections = 512;
/** Maximum number of unanswered requests on one connection; HTTP clients usually wait for an answer before the next request. */
const maxPipelined = 32;

export const proxyUser = "symposium";
const scheme = 'Basic realm="symposium"';
const strange = "This is a sandbox proxy. It requires the password that programs in the sandbox have.";

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const hopHeaders = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * HTTP and CONNECT proxy for the programs in one sandbox. The host gate checks every target; for a refused connection, nothing is sent, not
 * even a DNS query.
 */
export class HostProxy implements Disposable {
  readonly #server: Server;
  readonly #inner: Server;
  readonly #tunnels = new WeakMap<object, { readonly way: Way; readonly agent: Agent }>();
  readonly #passwords = new WeakMap<object, string>();
  readonly #connections = new Set<Connections>();
  readonly #unanswered = new WeakMap<object, number>();
  readonly #closed = new AbortController();

  constructor(private readonly parts: HostProxyParts) {
    const { createServer } = process.getBuiltinModule("node:http");
    this.#server = createServer();
    this.#inner = createServer();
    this.#server.on("connect", (request, socket, head) => this.#finish(this.#connect(request, socket, head), socket));
    for (const server of [this.#server, this.#inner]) {
      server.on("request", (request, response) => this.#finish(this.#forward(request, response), request.socket));
      server.on("upgrade", (request, socket, head) => this.#finish(this.#upgrade(request, socket, head), socket));
      // No time limit, since a request may wait for the user and a response may take an hour.
      server.requestTimeout = 0;
      server.keepAliveTimeout = keepAliveMs;
      server.on("clientError", (_error, socket) => socket.destroy());
    }
  }

  /** Serves the connections of a listener that the caller owns. If `password` is set, programs that don't know it are refused. */
  serve(listener: NetServer, password?: string): void {
    const connections = new Connections(listener, this.parts.logger);
    this.#connections.add(connections);
    listener.once("close", () => this.#connections.delete(connections));
    listener.maxConnections = maxConnections;
    listener.on("connection", (socket: Socket) => {
      socket.setNoDelay(true);
      if (password !== undefined) this.#passwords.set(socket, password);
      this.#server.emit("connection", socket);
    });
  }

  [Symbol.dispose](): void {
    this.#closed.abort();
    for (const connections of this.#connections) connections[Symbol.dispose]();
  }

  /** Closes the connection if `work` fails, so that a failure affects only its own connection. */
  #finish(work: Promise<void>, socket: Duplex): void {
    work.catch((error: unknown) => {
      this.parts.logger.warn("a sandbox connection failed", { reason: messageOf(error) });
      socket.destroy();
    });
  }

  /**
   * Returns whether a request lacks the required password. Requests inside a tunnel don't need the password, since the tunnel's CONNECT
   * request included it.
   */
  #isStranger({ socket, headers }: IncomingMessage): boolean {
    const password = this.#passwords.get(socket);
    if (password === undefined || this.#tunnels.has(socket)) return false;
    return !hasPassword(headers, proxyUser, password);
  }

  async #connect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (this.#isStranger(request)) {
      answer(client, 407, strange);
      return;
    }
    const target = readAuthority(request.url ?? "");
    if (!target) {
      answer(client, 400, `CONNECT needs a host and a port, got ${JSON.stringify(request.url)}.`);
      return;
    }
    const opened = await this.#open(target, client);
    if (opened instanceof Refusal) {
      answer(client, opened.status, opened.reason);
      return;
    }
    const { way, server } = opened;
    if (client.destroyed) {
      server.destroy();
      return;
    }
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) client.unshift(head);
    const word = await firstWord(client, server, target);
    if (word === "pass") {
      join(client, server);
    } else if (word === "http") {
      const agent = agentOf(way, this.#closed.signal, server);
      this.#tunnels.set(client, { way, agent });
      client.once("close", () => agent.destroy());
      this.#inner.emit("connection", client);
      client.resume();
    } else {
      this.parts.logger.info("a tunnel is closed", { host: targetText(target), reason: word.refusal });
      client.destroy();
      server.destroy();
    }
  }

  async #open(target: Target, client: Duplex): Promise<{ readonly way: Way; readonly server: Socket } | Refusal> {
    const way = await findWay(target, this.parts);
    if (way instanceof Refusal) return way;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    client.once("close", leave);
    if (client.destroyed) leave();
    try {
      const server = await connectAlong(way, AbortSignal.any([gone.signal, this.#closed.signal]));
      return { way, server };
    } catch (error) {
      return new Refusal(502, `${targetText(target)} cannot be reached: ${messageOf(error)}.`);
    } finally {
      client.off("close", leave);
    }
  }

  /** Forwards a request that has an absolute URL or comes through a tunnel. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const stream of [request, response]) stream.on("error", () => stream.destroy());
    if (this.#isTooMuch(request.socket, response)) return;
    if (this.#isStranger(request)) {
      refuse(response, 407, strange);
      return;
    }
    const asked = readRequest(request, this.#tunnels.get(request.socket)?.way.target);
    if (typeof asked === "string") {
      refuse(response, 400, asked);
      return;
    }
    const tunnel = this.#tunnels.get(request.socket);
    const way = tunnel?.way ?? (await findWay(asked.target, this.parts));
    if (way instanceof Refusal) {
      refuse(response, way.status, way.reason);
      return;
    }
    const agent = tunnel?.agent ?? agentOf(way, this.#closed.signal);
    const { request: send } = process.getBuiltinModule("node:http");
    const outgoing: ClientRequest = send({
      agent,
      method: request.method,
      path: asked.path,
      headers: [...endToEnd(request.rawHeaders), ...bodyHeaders(request), "Host", asked.host],
      setHost: false,
    });
    response.on("close", () => {
      outgoing.destroy();
      if (!tunnel) agent.destroy();
    });
    outgoing.on("response", (incoming) => {
      incoming.on("error", () => response.destroy());
      const { statusCode = 502 } = incoming;
      // Refuse a 1xx response, since the program would otherwise keep waiting for a final response.
      if (statusCode < 200) {
        const reason = `its answer ${statusCode} is for another protocol, which was not offered`;
        refuse(response, 502, `${targetText(asked.target)} cannot be reached: ${reason}.`);
        return;
      }
      try {
        response.writeHead(statusCode, incoming.statusMessage, endToEnd(incoming.rawHeaders));
        incoming.pipe(response);
      } catch (error) {
        // Node can parse some status lines that it refuses to write.
        this.parts.logger.info("an answer can't be forwarded", { reason: messageOf(error) });
        incoming.destroy();
        response.destroy();
      }
    });
    outgoing.on("error", (error) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, `${targetText(asked.target)} cannot be reached: ${error.message}.`);
    });
    request.pipe(outgoing);
  }

  /** Closes connections that pipeline too many requests, since this process buffers each one. */
  #isTooMuch(socket: Duplex, response: ServerResponse): boolean {
    const count = (this.#unanswered.get(socket) ?? 0) + 1;
    this.#unanswered.set(socket, count);
    response.once("close", () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1));
    if (count > maxPipelined) socket.destroy();
    return count > maxPipelined;
  }

  /**
   * Forwards a WebSocket upgrade over plain HTTP. Sends the program's bytes only after the server accepts, since they could otherwise be
   * another request with an unchecked Host. Doesn't offer other protocols, since HTTP/2 names a host in each request.
   */
  async #upgrade(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    if (this.#isStranger(request)) {
      answer(client, 407, strange);
      return;
    }
    const tunnel = this.#tunnels.get(request.socket);
    const asked = readRequest(request, tunnel?.way.target);
    const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"]) > 0;
    if (typeof asked === "string" || hasBody) {
      answer(client, 400, typeof asked === "string" ? asked : "A request for another protocol can't have a body.");
      return;
    }
    const way = tunnel?.way ?? (await findWay(asked.target, this.parts));
    if (way instanceof Refusal) {
      answer(client, way.status, way.reason);
      return;
    }
    const offered = request.headers.upgrade?.toLowerCase() === "websocket" ? "websocket" : undefined;
    const { request: send } = process.getBuiltinModule("node:http");
    const outgoing: ClientRequest = send({
      agent: agentOf(way, this.#closed.signal),
      method: request.method,
      path: asked.path,
      headers: [...endToEnd(request.rawHeaders), ...connectionHeaders(offered), "Host", asked.host],
      setHost: false,
    });
    const leave = (): void => void outgoing.destroy();
    client.once("close", leave);
    if (client.destroyed) leave();
    outgoing.on("upgrade", (incoming, server, first) => {
      client.off("close", leave);
      client.write(headOf(incoming, offered), "latin1");
      if (first.length > 0) server.unshift(first);
      if (head.length > 0) client.unshift(head);
      join(client, server);
    });
    outgoing.once("response", (incoming) => {
      incoming.on("error", () => client.destroy());
      client.write(headOf(incoming), "latin1");
      incoming.pipe(client);
    });
    outgoing.on("error", (error) => {
      // If a response has already started, its end reports the error.
      if (outgoing.listenerCount("response") === 0) return;
      answer(client, 502, `${targetText(asked.target)} cannot be reached: ${error.message}.`);
    });
    outgoing.end();
  }
}

/** Formats the status line and headers of a server's response. Without `protocol`, the headers announce that the connection closes. */
function headOf({ statusCode = 502, statusMessage = "", rawHeaders }: IncomingMessage, protocol?: string): string {
  const headers = [...endToEnd(rawHeaders), ...connectionHeaders(protocol)];
  const lines = headers.flatMap((text, index) => (index % 2 === 0 ? `${text}: ${headers[index + 1] ?? ""}\r\n` : []));
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join("")}\r\n`;
}

function connectionHeaders(protocol: string | undefined): readonly string[] {
  return protocol === undefined ? ["Connection", "close"] : ["Connection", "Upgrade", "Upgrade", protocol];
}

/** Returns the target of a request, or an error text. `tunnel` is the target of the tunnel through which the request came, if any. */
function readRequest(
  request: IncomingMessage,
  tunnel: Target | undefined,
): { readonly target: Target; readonly host: string; readonly path: string } | string {
  const { url = "", rawHeaders } = request;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return "The request has more than one Host.";
  const [, authority, path] = /^http:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (authority === undefined && !tunnel)
    return "This is a sandbox proxy: it accepts only CONNECT and full http addresses.";
  const named = authority === undefined ? undefined : readAuthority(authority, 80);
  if (authority !== undefined && !named) return `The host ${JSON.stringify(authority)} isn't valid.`;
  const target = tunnel ?? named;
  if (!target || (named && !(named.host === target.host && named.port === target.port)))
    return "The request is for a different host than its tunnel.";
  const { host } = request.headers;
  const said = host === undefined ? target : readAuthority(host, 80);
  // Accept port 80, since some clients omit a non-default port from the Host header.
  if (!said || said.host !== target.host || (said.port !== target.port && said.port !== 80)) {
    return `The Host ${JSON.stringify(host)} is not ${targetText(target)}, which the request is for.`;
  }
  const rest = authority === undefined ? url : (path ?? "");
  return { target, host: host ?? hostHeader(target), path: rest.startsWith("/") ? rest : `/${rest}` };
}

function hostHeader(target: Target): string {
  return target.port === 80 ? target.host : targetText(target);
}

/** Returns an HTTP agent that connects only to the checked addresses. The agent uses the connection `first` before it opens others. */
function agentOf(way: Way, signal: AbortSignal, first?: Socket): Agent {
  const { Agent: HttpAgent } = process.getBuiltinModule("node:http");
  let spare = first;
  class WayAgent extends HttpAgent {
    override createConnection(
      _options: unknown,
      done?: (error: Error | null, stream: Duplex) => void,
    ): Duplex | undefined {
      if (spare?.destroyed === false) {
        const socket = spare;
        spare = undefined;
        return socket;
      }
      const fail = (error: unknown): void =>
        done?.(error instanceof Error ? error : new Error(messageOf(error)), undefined as never);
      connectAlong(way, signal).then((socket) => done?.(null, socket), fail);
      return undefined;
    }
    override destroy(): void {
      spare?.destroy();
      super.destroy();
    }
  }
  return new WayAgent({ keepAlive: first !== undefined });
}

/** Returns `rawHeaders` without hop-by-hop headers and without the Host header. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const named = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() === "connection"
      ? (rawHeaders[index + 1] ?? "")
          .toLowerCase()
          .split(",")
          .map((one) => one.trim())
      : [],
  );
  return rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1 || hopHeaders.test(name) || named.includes(name.toLowerCase())) return [];
    return name.toLowerCase() === "host" ? [] : [name, rawHeaders[index + 1] ?? ""];
  });
}

/**
 * Returns the headers that announce the body of a forwarded request. A body without a length is sent chunked; otherwise the request's own
 * headers already include `Content-Length`.
 */
function bodyHeaders({ headers }: IncomingMessage): readonly string[] {
  return headers["transfer-encoding"] === undefined ? [] : ["Transfer-Encoding", "chunked"];
}

type Status = 400 | 403 | 407 | 502;

function refuse(response: ServerResponse, status: Status, reason: string): void {
  const challenge = status === 407 ? { "Proxy-Authenticate": scheme } : {};
  const headers = { "Content-Type": "text/plain; charset=utf-8", Connection: "close", ...challenge };
  response.writeHead(status, headers).end(`${reason}\n`);
}

/**
 * Sends an HTTP response on a socket that Node no longer handles as HTTP. The reason is put into the status line, since some programs show
 * only that line.
 */
function answer(socket: Duplex, status: Status, reason: string): void {
  const line = reason.replace(/[^\x20-\x7e]/g, "?");
  const body = `${reason}\n`;
  const headers = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  const challenge = status === 407 ? `Proxy-Authenticate: ${scheme}\r\n` : "";
  socket.on("error", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${line}\r\n${challenge}${headers}\r\n\r\n${body}`);
}
