import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Endless part: a line of the event stream, an event with many lines, the events, or the answer to a call. */
type Endless = "line" | "event" | "events" | "answer";

const event = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } })}\n\n`;
const pieces: Readonly<Record<Endless, string>> = {
  line: "x".repeat(10_000),
  event: `data: ${"x".repeat(100)}\n`.repeat(100),
  events: event.repeat(100),
  answer: " ".repeat(10_000),
};

/** An MCP server on loopback, of the era with sessions, that sends something without end to whoever reads it. */
export class EndlessServer implements AsyncDisposable {
  /** Resolves when nobody reads it any more. */
  readonly leftAlone: Promise<void>;
  #noteLeft: () => void = () => undefined;
  readonly #server: Server;

  private constructor(private readonly what: Endless) {
    this.leftAlone = new Promise((resolve) => (this.#noteLeft = resolve));
    this.#server = createServer((request, response) => {
      if (request.method === "GET" && what !== "answer") return this.#pour(response, "text/event-stream", "data: ");
      if (request.method !== "POST") return void response.writeHead(405).end();
      void text(request).then((body) => this.#answer(JSON.parse(body) as Message, response));
    });
  }

  static async start(what: Endless): Promise<EndlessServer> {
    const server = new EndlessServer(what);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ id, method }: Message, response: ServerResponse): void {
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "initialize") {
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "endless", version: "1" },
      };
      return this.#send(response, { result, id });
    }
    if (method !== "tools/call") return this.#send(response, { error: { code: -32601, message: "no" }, id });
    // The others pour into the stream, and leave the call open.
    if (this.what === "answer") this.#pour(response, "application/json", "{");
  }

  #send(response: ServerResponse, answer: object): void {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", ...answer }));
  }

  /** As fast as it is read. */
  #pour(response: ServerResponse, type: string, start: string): void {
    response.writeHead(200, { "content-type": type });
    response.write(this.what === "events" ? "" : start);
    const more = (): void => {
      if (response.destroyed) return;
      if (response.write(pieces[this.what])) setImmediate(more);
      else response.once("drain", more);
    };
    response.once("close", this.#noteLeft);
    more();
  }
}

interface Message {
  readonly id?: unknown;
  readonly method: string;
}
