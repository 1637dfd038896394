import { messageOf } from "../../base/symposium-error.js";
import { ModelFailure } from "../agent-connection.js";
import type { AskUser } from "../session-permissions.js";
import type { Json } from "../../base/rpc/json.js";
import { Json as JsonValue } from "../../base/rpc/json.js";
import { Notification, Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { LanguageModelService } from "./language-model-service.js";
import { readCancelParams, readInformationParams, readResponseParams, readTokenCountParams } from "./read-params.js";
import { lmMethods } from "./wire.js";
import { WireFault } from "./wire-value.js";

type RequestId = number | string;

/** Serves an editor's extension; answers every request, even if the agent fails or the editor disconnects. */
export class LanguageModelEndpoint implements AsyncDisposable {
  readonly fromClient: Peer;
  readonly #running = new Map<RequestId, AbortController>();

  constructor(
    private readonly service: LanguageModelService,
    private readonly client: Peer,
  ) {
    this.fromClient = {
      request: (request, reply) => this.#request(request, reply),
      notify: (notification) => this.#notify(notification),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const controller of this.#running.values()) controller.abort();
    await this.service[Symbol.asyncDispose]();
  }

  #request(request: Request, reply: Reply): Cancel {
    const { method, params } = request;
    try {
      switch (method) {
        case lmMethods.information:
          this.#settle(this.service.information(readInformationParams(params)), reply);
          return nothingToCancel;
        case lmMethods.response:
          return this.#respond(request, params, reply);
        case lmMethods.tokenCount:
          reply(Outcome.of({ count: estimatedTokens(readTokenCountParams(params)) }));
          return nothingToCancel;
        default:
          reply(Outcome.error(RpcError.methodNotFound(method)));
          return nothingToCancel;
      }
    } catch (fault) {
      reply(Outcome.error(fault instanceof WireFault ? RpcError.invalidParams(fault.message) : failed(fault)));
      return nothingToCancel;
    }
  }

  #respond(request: Request, params: Json | undefined, reply: Reply): Cancel {
    const asked = readResponseParams(params);
    const requestId = asked.requestId ?? wireIdOf(request);
    const controller = new AbortController();
    this.#running.set(requestId, controller);
    const listener = {
      emit: (part: unknown) => {
        if (!controller.signal.aborted)
          this.client.notify(Notification.of(lmMethods.responsePart, { requestId, part }));
      },
      askUser: this.#asking(requestId),
    };
    const answering = this.service.answer(asked, listener, controller.signal).then((result) => {
      this.client.notify(Notification.of(lmMethods.responseComplete, { requestId }));
      return result;
    });
    this.#settle(
      answering.finally(() => this.#running.delete(requestId)),
      reply,
    );
    return () => controller.abort();
  }

  #notify({ method, params }: Notification): void {
    if (method !== lmMethods.cancel) return;
    try {
      this.#running.get(readCancelParams(params))?.abort();
    } catch {
      // Without a request id there is nothing to cancel.
    }
  }

  /** Asks with `lm/requestPermission`; an invalid answer is a refusal. */
  #asking(requestId: RequestId): AskUser {
    return ({ title, kind, raw_input: rawInput }, answer) => {
      const params = {
        requestId,
        title,
        ...(kind !== undefined && { kind }),
        ...(rawInput !== undefined && { rawInput }),
      };
      return this.client.request(Request.of(lmMethods.permission, params), ({ isError, json }) => {
        const outcome = isError ? undefined : json.object?.["outcome"];
        answer(outcome === "allow" || outcome === "cancelled" ? outcome : "reject");
      });
    };
  }

  #settle(work: Promise<unknown>, reply: Reply): void {
    work.then(
      (result) => reply(Outcome.of(result)),
      (failure: unknown) => reply(Outcome.error(failed(failure))),
    );
  }
}

/** Returns only the message, since editors show additional data. */
function failed(failure: unknown): RpcError {
  const isSignIn = failure instanceof ModelFailure && failure.code === "sign-in-required";
  return isSignIn ? new RpcError(rpcErrorCodes.authRequired, failure.message) : RpcError.internal(messageOf(failure));
}

/** Returns the JSON-RPC request's id; requests created in this process have none. */
function wireIdOf({ frame }: Request): RequestId {
  const id: unknown = frame?.id.isPresent === true ? JsonValue.ofText(frame.id.of(frame.text)).value : undefined;
  return typeof id === "number" || typeof id === "string" ? id : crypto.randomUUID();
}

/** Estimates tokens: about one per four letters, and one per character in scripts without spaces. */
function estimatedTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x2e80) wide++;
  return Math.max(1, Math.ceil(wide + (text.length - wide) / 4));
}
