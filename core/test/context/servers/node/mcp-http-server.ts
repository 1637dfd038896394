import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** One HTTP request as the server saw it. */
interface SeenRequest {
  readonly method: string;
  readonly authorization: string | undefined;
}

/** An MCP server on loopback with the one tool `era`. */
export class McpHttpServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;

  private constructor(listener: RequestListener) {
    this.#server = createServer((request, response) => {
      this.seen.push({ method: request.method ?? "", authorization: request.headers.authorization });
      listener(request, response);
    });
  }

  /** Serves the stateless revision alone, on any free port for 0. */
  static modern(port = 0): Promise<McpHttpServer> {
    const handler = createMcpHandler(
      () => {
        const server = new McpServer({ name: "modern", version: "1" });
        server.registerTool("era", {}, () => ({ content: [{ type: "text", text: "modern" }] }));
        return server;
      },
      { legacy: "reject" },
    );
    return new McpHttpServer((request, response) => {
      void toWebRequest(request)
        .then((web) => handler.fetch(web))
        .then(async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(Buffer.from(await answer.arrayBuffer()));
        });
    }).#listen(port);
  }

  /** Serves revisions up to 2025-11-25, with a session. */
  static async legacy(port = 0): Promise<McpHttpServer> {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "session-1" });
    await legacyServer("legacy").connect(transport);
    return new McpHttpServer((request, response) => void transport.handleRequest(request, response)).#listen(port);
  }

  /** Serves the HTTP with SSE of 2024. */
  static sse(): Promise<McpHttpServer> {
    // oxlint-disable-next-line typescript/no-deprecated -- it is what this server is for
    let transport: SSEServerTransport | undefined;
    return new McpHttpServer((request, response) => {
      if (request.method === "POST") {
        void transport?.handlePostMessage(request, response);
        return;
      }
      // oxlint-disable-next-line typescript/no-deprecated -- it is what this server is for
      transport = new SSEServerTransport("/messages", response);
      void legacyServer("sse").connect(transport);
    }).#listen();
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return this;
  }
}

function legacyServer(era: string): LegacyServer {
  const server = new LegacyServer({ name: era, version: "1" });
  server.registerTool("era", {}, () => ({ content: [{ type: "text", text: era }] }));
  return server;
}

async function toWebRequest(request: IncomingMessage): Promise<Request> {
  const body = await buffer(request);
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const method = request.method ?? "GET";
  return new Request(`http://127.0.0.1${request.url ?? "/"}`, { method, headers, ...(method === "POST" && { body }) });
}
