import { randomBytes, randomUUID } from "node:crypto";
import type { Logger } from "../../logger.js";
import type { McpBridge, McpExposure, McpServer } from "../../mcp/mcp-server.js";
import { McpEndpoint } from "../../mcp/mcp-endpoint.js";
import { Json } from "../../rpc/json.js";
import { LoopbackServer } from "../loopback-server.js";
import type { ExposedServer } from "./admission.js";
import { serveUpgrade, shimEnvironment } from "./stdio-joint.js";
import { serveRequest } from "./http-exchange.js";

/** Command with which Symposium starts itself, for example from an agent. */
export interface SelfCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Listening {
  readonly server: LoopbackServer;
  readonly port: number;
}

/**
 * Serves MCP servers of the chain on 127.0.0.1, each session and server with a separate path and token. Listens from the first exposure. A
 * process without the token can't even learn server names.
 */
export class LoopbackMcpBridge implements McpBridge {
  readonly #exposed = new Map<string, ExposedServer>();
  #listening: Promise<Listening> | undefined;

  constructor(
    /** Command for stdio exposure; if absent, only http is available. */
    private readonly self: SelfCommand | undefined,
    private readonly logger: Logger,
  ) {}

  async expose(server: McpServer, transport: "http" | "stdio"): Promise<McpExposure> {
    const { port } = await this.#listen();
    const path = `/mcp/${randomUUID()}`;
    const token = randomBytes(32).toString("base64url");
    const endpoint = new McpEndpoint(server);
    this.#exposed.set(path, { endpoint, token });
    const url = `http://127.0.0.1:${port}${path}`;
    return {
      declaration:
        transport === "http" ? httpDeclaration(server.name, url, token) : shim(this.self, server.name, url, token),
      [Symbol.asyncDispose]: () => {
        this.#exposed.delete(path);
        endpoint[Symbol.dispose]();
        return Promise.resolve();
      },
    };
  }

  /** Starts listening and returns the port, for sandboxes that must allow it. */
  async port(): Promise<number> {
    return (await this.#listen()).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const listening = await this.#listening?.catch(() => undefined);
    if (!listening) return;
    for (const { endpoint } of this.#exposed.values()) endpoint[Symbol.dispose]();
    this.#exposed.clear();
    await listening.server[Symbol.asyncDispose]();
  }

  #listen(): Promise<Listening> {
    this.#listening ??= this.#newListening();
    return this.#listening;
  }

  async #newListening(): Promise<Listening> {
    const find = (path: string): ExposedServer | undefined => this.#exposed.get(path);
    const server = new LoopbackServer(
      {
        serve: (request, response) => serveRequest(request, response, find, this.logger),
        upgrade: (request, socket, head) => serveUpgrade(request, socket, head, find),
      },
      this.logger,
    );
    return { server, port: await server.listen(0) };
  }
}

function shim(self: SelfCommand | undefined, name: string, url: string, token: string): Json {
  if (!self) throw new Error(`The MCP server "${name}" cannot be exposed over stdio without a command.`);
  const env = { ...self.env, [shimEnvironment.url]: url, [shimEnvironment.token]: token };
  return Json.of({
    name,
    command: self.command,
    args: [...self.args, "mcp-shim"],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
  });
}

function httpDeclaration(name: string, url: string, token: string): Json {
  return Json.of({ type: "http", name, url, headers: [{ name: "Authorization", value: `Bearer ${token}` }] });
}
