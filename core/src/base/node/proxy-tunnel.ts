import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { Agent as TlsAgent, request as httpsRequest } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

const openMs = 10_000;
const idleMs = 4_000;

interface TunnelTarget {
  readonly host?: string | null | undefined;
  readonly port?: string | number | null | undefined;
}
type Connected = (error: Error | null, socket: Duplex) => void;

export function tunnelAgents(proxy: URL): { readonly "http:": Agent; readonly "https:": TlsAgent } {
  const open = ({ host, port }: TunnelTarget): Promise<Socket> => openTunnel(proxy, host ?? "localhost", Number(port));
  const options = { keepAlive: true, timeout: idleMs };

  class Tunnels extends Agent {
    override createConnection(target: TunnelTarget, connected: Connected): undefined {
      open(target).then(
        (socket) => connected(null, socket),
        (error: unknown) => connected(error as Error, undefined as never),
      );
    }
  }
  class TlsTunnels extends TlsAgent {
    override createConnection(target: TunnelTarget, connected: Connected): undefined {
      open(target).then(
        (socket) => connected(null, connectTls({ ...target, socket } as object)),
        (error: unknown) => connected(error as Error, undefined as never),
      );
    }
  }
  return { "http:": new Tunnels(options), "https:": new TlsTunnels(options) };
}

/**
 * Connects to `host` through the proxy, which resolves the name. Rejects with the proxy's error, which never contains the proxy's user or
 * password.
 */
export function openTunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  return proxy.protocol.startsWith("socks") ? socksTunnel(proxy, host, port) : httpTunnel(proxy, host, port);
}

/** Opens a tunnel with the HTTP method `CONNECT` (RFC 9110, section 9.3.6). */
async function httpTunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const { username, password } = credentialsOf(proxy);
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const request = (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
    host: bareHost(proxy),
    port: proxy.port,
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...(username !== "" && { "proxy-authorization": basic }) },
    agent: false,
    timeout: openMs,
  });
  request.on("timeout", () => request.destroy(silent(proxy)));
  request.end();
  const [response, socket, rest] = (await once(request, "connect")) as [{ statusCode?: number }, Socket, Buffer];
  if (response.statusCode !== 200) {
    socket.destroy();
    throw new Error(`the proxy ${proxy.host} answered ${response.statusCode ?? "nothing"}`);
  }
  socket.setTimeout(0);
  if (rest.length > 0) socket.unshift(rest);
  return socket;
}

/** Opens a tunnel through a SOCKS 5 proxy (RFC 1928, RFC 1929). */
async function socksTunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const socket = connect({ host: bareHost(proxy), port: Number(proxy.port || 1080), timeout: openMs });
  socket.on("timeout", () => socket.destroy(silent(proxy)));
  const refused = (reason: string): Error => new Error(`the proxy ${proxy.host} ${reason}`);
  try {
    await once(socket, "connect");
    const { username, password } = credentialsOf(proxy);
    const methods = username === "" ? [0] : [0, 2];
    socket.write(Buffer.from([5, methods.length, ...methods]));
    const [version, method] = await bytesOf(socket, 2);
    if (version !== 5) throw refused("does not speak SOCKS 5");
    if (method === 2 && username !== "") {
      socket.write(Buffer.concat([Buffer.from([1]), counted(username), counted(password)]));
      const [, status] = await bytesOf(socket, 2);
      if (status !== 0) throw refused("does not accept its user and password");
    } else if (method !== 0) throw refused("requires authentication");
    socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3]), counted(host), Buffer.from([port >> 8, port & 255])]));
    const [, reply = 1, , kind = 0, first = 0] = await bytesOf(socket, 5);
    if (reply !== 0) throw refused(`cannot reach ${host}:${port} (SOCKS reply ${reply})`);
    // Skip the rest of the bound address and port in the proxy's answer.
    await bytesOf(socket, (kind === 1 ? 3 : kind === 4 ? 15 : first) + 2);
    socket.setTimeout(0);
    socket.removeAllListeners("timeout");
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

/** Reads exactly `count` bytes and leaves later bytes in the socket. */
async function bytesOf(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes?.length === count) return bytes;
    if (bytes !== null || socket.readableEnded || socket.destroyed) throw new Error("the proxy closed the connection");
    await Promise.race([once(socket, "readable"), once(socket, "close")]);
  }
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error("a SOCKS proxy accepts names and passwords of at most 255 bytes");
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function credentialsOf({ username, password }: URL): { readonly username: string; readonly password: string } {
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function silent(proxy: URL): Error {
  return new Error(`the proxy ${proxy.host} did not answer within ${openMs / 1000} s`);
}
