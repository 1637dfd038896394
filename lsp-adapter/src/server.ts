import { type Server, type Socket, createServer } from "node:net";
import { Connections } from "@symposium-dev/core/node";
import type { IdeOperations, Logger } from "@symposium-dev/core";
import {
  createProtocolConnection,
  ErrorCodes,
  ExitNotification,
  InitializeRequest,
  type ProtocolConnection,
  ResponseError,
  ShutdownRequest,
} from "vscode-languageserver-protocol/node";
import { FrameWriter, socketReader } from "./connection/frame-writer.js";
import { introductionOf, OperationRequests } from "./operation-requests.js";
import { isProof, type Meeting, newChallenge, proofOf, proveMethod, textMember } from "./sharing/handshake.js";

interface AdapterServerOptions {
  readonly meeting: Meeting;
  readonly open: () => IdeOperations;
  readonly onEmpty: () => void;
  readonly logger: Logger;
}

/** Milliseconds that a client has to introduce itself. */
const introductionMs = 5_000;

/** Serves IDE operations to every client with the token, as an LSP server with custom requests. */
export class AdapterServer implements Disposable {
  readonly net: Server;
  readonly #connections: Connections;
  #clients = 0;

  constructor(private readonly options: AdapterServerOptions) {
    this.net = createServer();
    this.#connections = new Connections(this.net, options.logger);
    this.net.on("connection", (socket) => this.#accept(socket));
  }

  get hasClients(): boolean {
    return this.#clients > 0;
  }

  [Symbol.dispose](): void {
    this.net.close();
    this.#connections[Symbol.dispose]();
  }

  #accept(socket: Socket): void {
    const { meeting, onEmpty } = this.options;
    let operations: IdeOperations | undefined;
    const impatience = setTimeout(() => socket.destroy(), introductionMs);
    socket.once("close", () => {
      clearTimeout(impatience);
      requests[Symbol.dispose]();
      if (!operations) return;
      this.#clients -= 1;
      if (this.#clients === 0) onEmpty();
    });
    const connection = this.#connectionOver(socket);
    let expected: string | undefined;
    connection.onRequest(proveMethod, (params: unknown) => {
      const client = textMember(params, "challenge");
      if (client === undefined) return new ResponseError(ErrorCodes.InvalidParams, "The challenge is missing.");
      const challenges = { client, server: newChallenge() };
      expected = proofOf("client", meeting, challenges);
      return { challenge: challenges.server, proof: proofOf("server", meeting, challenges) };
    });
    connection.onRequest(InitializeRequest.type, ({ initializationOptions }) => {
      if (expected === undefined || !isProof(textMember(initializationOptions, "proof"), expected)) {
        return new ResponseError(ErrorCodes.InvalidRequest, "The token doesn't match this adapter.");
      }
      clearTimeout(impatience);
      if (!operations) this.#clients += 1;
      operations ??= this.options.open();
      return introductionOf(operations);
    });
    const requests = new OperationRequests(connection, () => operations);
    connection.onRequest(ShutdownRequest.type, () => undefined);
    connection.onNotification(ExitNotification.type, () => void socket.end());
    connection.listen();
  }

  /**
   * Creates the connection for a client. Failures are only logged locally, since the library would send each failure to the client, and
   * would fail endlessly once the client has disconnected.
   */
  #connectionOver(socket: Socket): ProtocolConnection {
    const { logger } = this.options;
    const connection = createProtocolConnection(socketReader(socket), new FrameWriter(socket), {
      error: (message) => logger.debug("a client's connection", { message }),
      warn: (message) => logger.debug("a client's connection", { message }),
      info: () => undefined,
      log: () => undefined,
    });
    // Close the connection, since after invalid bytes the start of the next message is unknown.
    connection.onError(() => socket.destroy());
    return connection;
  }
}
