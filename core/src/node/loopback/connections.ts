import type { Server, Socket } from "node:net";
import type { Logger } from "../../base/logger.js";

/**
 * The connections of a listener. Each has its `error` listener from the moment when it is accepted, before anything is read or
 * written, and whatever becomes of it later: a client that resets its connection would end this process otherwise. So has
 * the listener itself. Disposing closes the connections.
 */
export class Connections implements Disposable {
  readonly #open = new Set<Socket>();

  constructor(server: Server, logger: Logger) {
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
