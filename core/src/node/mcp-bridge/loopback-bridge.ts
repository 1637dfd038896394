import { randomBytes, randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../../base/logger.js";
import type { McpBridge, McpExposure } from "../../mcp/mcp-bridge.js";
import { McpEndpoint } from "../../mcp/mcp-endpoint.js";
import type { McpServer } from "../../mcp/mcp-server.js";
import { Json } from "../../rpc/json.js";
import { serveUpgrade } from "./stdio-joint.js";
import { serveRequest } from "./http-exchange.js";

/** How this product starts itself as another program, for example from an agent. */
export interface SelfCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server under its path, for one session. */
export interface ExposedServer {
  readonly endpoint: McpEndpoint;
  /** What `Authorization: Bearer` must carry; 256 random bits. */
  readonly token: string;
}

/** Environment names by which the stdio shim learns where to connect. */
export const shimEnvironment = { url: "SYMPOSIUM_MCP_URL", token: "SYMPOSIUM_MCP_TOKEN" } as const;

/**
 * Serves MCP servers of the chain on 127.0.0.1, each session and server under a path and a token of its own.
 * Listens from the first exposure on; a process without the token learns nothing, not even the servers' names.
 */
export class LoopbackMcpBridge implements McpBridge {
  readonly #exposed = new Map<string, ExposedServer>();
  /** Upgraded connections, which the server no longer counts as its own. */
  readonly #shims = new Set<Duplex>();
  #listening: Promise<Server> | undefined;

  constructor(
    private readonly self: SelfCommand,
    private readonly logger: Logger,
  ) {}

  async expose(server: McpServer, transport: "http" | "stdio"): Promise<McpExposure> {
    const { port } = (await this.#listen()).address() as AddressInfo;
    const path = `/mcp/${randomUUID()}`;
    const token = randomBytes(32).toString("base64url");
    const endpoint = new McpEndpoint(server);
    this.#exposed.set(path, { endpoint, token });
    const url = `http://127.0.0.1:${port}${path}`;
    return {
      declaration:
        transport === "http" ? httpDeclaration(server.name, url, token) : this.#shim(server.name, url, token),
      [Symbol.asyncDispose]: () => {
        this.#exposed.delete(path);
        endpoint[Symbol.dispose]();
        return Promise.resolve();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = await this.#listening?.catch(() => undefined);
    if (!server) return;
    for (const { endpoint } of this.#exposed.values()) endpoint[Symbol.dispose]();
    this.#exposed.clear();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    for (const socket of this.#shims) socket.destroy();
    await closed;
  }

  #listen(): Promise<Server> {
    this.#listening ??= new Promise((resolve, reject) => {
      const find = (path: string): ExposedServer | undefined => this.#exposed.get(path);
      // Importing node:http costs 40 ms and 10 MB, for a WebSocket client that its module facade drags in.
      const { createServer } = process.getBuiltinModule("node:http");
      const server = createServer((request, response) => void serveRequest(request, response, find, this.logger));
      // Idle streams are normal: a tool may think for an hour.
      server.requestTimeout = 0;
      server.on("upgrade", (request, socket, head) => {
        this.#shims.add(socket);
        socket.once("close", () => this.#shims.delete(socket));
        serveUpgrade(request, socket, head, find);
      });
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        server.off("error", reject);
        server.on("error", (error) => this.logger.warn("the MCP bridge had an error", { message: error.message }));
        resolve(server);
      });
    });
    return this.#listening;
  }

  #shim(name: string, url: string, token: string): Json {
    const env = { ...this.self.env, [shimEnvironment.url]: url, [shimEnvironment.token]: token };
    return Json.of({
      name,
      command: this.self.command,
      args: [...this.self.args, "mcp-shim"],
      env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    });
  }
}

function httpDeclaration(name: string, url: string, token: string): Json {
  return Json.of({ type: "http", name, url, headers: [{ name: "Authorization", value: `Bearer ${token}` }] });
}
