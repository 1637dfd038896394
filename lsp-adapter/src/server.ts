import { type Server, type Socket, createServer } from "node:net";
import {
  Fault,
  ideOperationMethod,
  ideOperationNames,
  ideOperationReaders,
  type IdeOperations,
  type Logger,
  messageOf,
  SymposiumError,
} from "@symposium-dev/core";
import {
  type CancellationToken,
  createConnection,
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
} from "vscode-languageserver";
import { createProtocolConnection, SocketMessageReader } from "vscode-languageserver-protocol/node";
import type { IdeOperationName } from "@symposium-dev/core";
import { FrameWriter } from "./connection/frame-writer.js";
import { isToken } from "./sharing/adapter-token.js";

export interface AdapterServerOptions {
  readonly token: string;
  /** The operations for one more client. */
  readonly open: () => IdeOperations;
  /** The last client has gone. */
  readonly onEmpty: () => void;
  readonly logger: Logger;
}

/** A client that does not say who it is within this time is sent away. */
const introductionMs = 5_000;

/** Serves IDE operations to every client that knows the token: an LSP server with the contract's own requests. */
export class AdapterServer implements Disposable {
  readonly net: Server;
  readonly #sockets = new Set<Socket>();
  #clients = 0;

  constructor(private readonly options: AdapterServerOptions) {
    this.net = createServer((socket) => this.#accept(socket));
  }

  get hasClients(): boolean {
    return this.#clients > 0;
  }

  [Symbol.dispose](): void {
    this.net.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    const { logger, onEmpty, token } = this.options;
    let operations: IdeOperations | undefined;
    const running = new Set<AbortController>();
    this.#sockets.add(socket);
    const impatience = setTimeout(() => socket.destroy(), introductionMs);
    socket.on("error", (error) => logger.debug("client connection failed", { reason: error.message }));
    socket.once("close", () => {
      clearTimeout(impatience);
      for (const controller of running) controller.abort();
      this.#sockets.delete(socket);
      if (!operations) return;
      this.#clients -= 1;
      if (this.#clients === 0) onEmpty();
    });
    const connection = createConnection(
      (log) => createProtocolConnection(new SocketMessageReader(socket), new FrameWriter(socket), log),
      // By default the exit of one client would be ours.
      { shutdownReceived: false, initialize: () => undefined, exit: () => socket.end() },
    );
    connection.onInitialize(({ initializationOptions }) => {
      if (!isToken(tokenIn(initializationOptions), token)) {
        return new ResponseError(ErrorCodes.InvalidRequest, "The token is not that of this adapter.");
      }
      clearTimeout(impatience);
      if (!operations) this.#clients += 1;
      operations ??= this.options.open();
      return {
        capabilities: { experimental: { ideOperations: [...operations.supported] } },
        serverInfo: { name: "symposium-lsp" },
      };
    });
    for (const name of ideOperationNames) {
      connection.onRequest(ideOperationMethod(name), (params: unknown, cancel: CancellationToken) =>
        operations ? answer(operations, name, params, { cancel, running }) : notIntroduced,
      );
    }
    connection.onShutdown(() => undefined);
    connection.listen();
  }
}

const notIntroduced = new ResponseError(ErrorCodes.ServerNotInitialized, "Say who you are first, by `initialize`.");

function tokenIn(options: unknown): unknown {
  return typeof options === "object" && options !== null && "token" in options ? options.token : undefined;
}

/** What ends a request early: its client, or the client's end, which aborts all that are `running`. */
interface Ends {
  readonly cancel: CancellationToken;
  readonly running: Set<AbortController>;
}

/** Does one operation until it is done, cancelled, or its client has gone. */
async function answer(
  operations: IdeOperations,
  name: IdeOperationName,
  given: unknown,
  { cancel, running }: Ends,
): Promise<unknown> {
  const params = ideOperationReaders[name].params(given ?? {}, "");
  if (params instanceof Fault) return new ResponseError(ErrorCodes.InvalidParams, params.message);
  const controller = new AbortController();
  const listener = cancel.onCancellationRequested(() => controller.abort());
  running.add(controller);
  try {
    return await operations.run(name, params, controller.signal);
  } catch (error) {
    return errorFor(error);
  } finally {
    running.delete(controller);
    listener.dispose();
  }
}

function errorFor(error: unknown): ResponseError<unknown> {
  if (!(error instanceof SymposiumError)) return new ResponseError(ErrorCodes.InternalError, messageOf(error));
  if (error.code === "cancelled") return new ResponseError(LSPErrorCodes.RequestCancelled, error.message);
  return new ResponseError(LSPErrorCodes.RequestFailed, error.message, { hint: error.hint });
}
