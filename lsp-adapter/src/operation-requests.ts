import {
  Fault,
  ideOperationMethod,
  type IdeOperationName,
  ideOperationNames,
  ideOperationReaders,
  type IdeOperations,
  messageOf,
  SymposiumError,
} from "@symposium-dev/core";
import {
  type CancellationToken,
  ErrorCodes,
  LSPErrorCodes,
  type ProtocolConnection,
  ResponseError,
} from "vscode-languageserver-protocol/node";

/** Answers a client's requests with `operations`, once available. Disposing aborts running requests. */
export class OperationRequests implements Disposable {
  readonly #running = new Set<AbortController>();

  constructor(
    connection: Pick<ProtocolConnection, "onRequest">,
    private readonly operations: () => IdeOperations | undefined,
  ) {
    for (const name of ideOperationNames) {
      connection.onRequest(ideOperationMethod(name), (params: unknown, cancel: CancellationToken) =>
        this.#answer(name, params, cancel),
      );
    }
  }

  [Symbol.dispose](): void {
    for (const controller of this.#running) controller.abort();
  }

  /** Runs `action`; the client's cancellation and disposal abort it. Rejects with an error of the protocol. */
  async run<T>(
    cancel: CancellationToken,
    action: (operations: IdeOperations, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const operations = this.operations();
    if (!operations) throw notIntroduced;
    const controller = new AbortController();
    const listener = cancel.onCancellationRequested(() => controller.abort());
    this.#running.add(controller);
    try {
      return await action(operations, controller.signal);
    } catch (error) {
      throw error instanceof ResponseError ? error : errorFor(error);
    } finally {
      this.#running.delete(controller);
      listener.dispose();
    }
  }

  async #answer(name: IdeOperationName, given: unknown, cancel: CancellationToken): Promise<unknown> {
    if (!this.operations()) throw notIntroduced;
    const params = ideOperationReaders[name].params(given ?? {}, "");
    if (params instanceof Fault) return new ResponseError(ErrorCodes.InvalidParams, params.message);
    return this.run(cancel, (operations, signal) => operations.run(name, params, signal));
  }
}

/** Returns the part of the `initialize` answer about `operations`. */
export function introductionOf(operations: IdeOperations): {
  readonly capabilities: { readonly experimental: { readonly ideOperations: readonly string[] } };
  readonly serverInfo: { readonly name: string };
} {
  return {
    capabilities: { experimental: { ideOperations: [...operations.supported] } },
    serverInfo: { name: "symposium-lsp" },
  };
}

const notIntroduced = new ResponseError(ErrorCodes.ServerNotInitialized, "Send `initialize` first.");

function errorFor(error: unknown): ResponseError<unknown> {
  if (!(error instanceof SymposiumError)) return new ResponseError(ErrorCodes.InternalError, messageOf(error));
  if (error.code === "cancelled") return new ResponseError(LSPErrorCodes.RequestCancelled, error.message);
  return new ResponseError(LSPErrorCodes.RequestFailed, error.message, { hint: error.hint });
}
