import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import { Connections } from "./connections.js";

export interface LoopbackHandlers {
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
