import type { Socket } from "node:net";
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  SocketMessageReader,
} from "vscode-languageserver-protocol/node";
import { FrameWriter } from "../connection/frame-writer.js";

/** A client's connection to an adapter process. Disposing closes it. */
export class AdapterConnection implements Disposable {
  readonly #connection: MessageConnection;
  #isClosed = false;

  constructor(private readonly socket: Socket) {
    this.#connection = createMessageConnection(new SocketMessageReader(socket), new FrameWriter(socket));
    socket.on("error", () => undefined);
    socket.once("close", () => this[Symbol.dispose]());
    this.#connection.listen();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Shows the token; rejects when it is refused. */
  async introduce(token: string): Promise<void> {
    const params = { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: { token } };
    await this.#connection.sendRequest("initialize", params);
    await this.#connection.sendNotification("initialized", {});
  }

  /** Rejects when the other side refuses or is lost; an aborted `signal` cancels the request there, and rejects at once. */
  async request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const source = new CancellationTokenSource();
    let onAbort: () => void = () => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      onAbort = () => {
        source.cancel();
        reject(new Error("cancelled"));
      };
      signal.addEventListener("abort", onAbort, { once: true });
    });
    const answer: Promise<unknown> = this.#connection.sendRequest(method, params, source.token);
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      source.dispose();
    }
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Its requests are rejected by that.
    this.#connection.dispose();
    this.socket.destroy();
  }
}
