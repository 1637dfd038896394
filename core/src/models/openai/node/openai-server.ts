import { attempt } from "../../../base/attempt.js";
import { parsedValue } from "../../../base/rpc/json.js";
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../../../base/logger.js";
import { invalidArguments, messageOf, SymposiumError } from "../../../base/symposium-error.js";
import type { ChatService } from "../chat-service.js";
import { type ChatRequest, parseChatRequest } from "../chat-request.js";
import { invalidRequest, ErrorResponse } from "../error-response.js";
import { ResponseStore } from "../response-store.js";
import { asChatRequest, parseResponsesRequest, type ResponsesRequest } from "../responses-request.js";
import { EventStream, type ReaderLimits, usualReaderLimits } from "../../../base/node/event-stream-writer.js";
import { hasToken, isLocal, LoopbackServer, readBody } from "../../../base/node/loopback-server.js";
import { type AnswerWriter, ResponseWriter, StreamedAnswer, WholeAnswer, writeJson } from "./answer-writer.js";

interface OpenAiServerOptions {
  readonly service: Pick<ChatService, "models" | "answer">;
  /** Required token in `Authorization: Bearer`. */
  readonly token: string;
  readonly logger: Logger;
  readonly maxBodyBytes?: number;
  readonly reader?: ReaderLimits;
}

/** Default maximum size of a request body. The size is large because the body contains images in base64. */
const defaultMaxBodyBytes = 32 * 1024 * 1024;

/** Serves the OpenAI interface on 127.0.0.1 to clients with the token: models, chat completions and responses. */
export class OpenAiServer implements AsyncDisposable {
  readonly #server: LoopbackServer;
  readonly #responses = new ResponseStore();

  constructor(private readonly options: OpenAiServerOptions) {
    const serve = (request: IncomingMessage, response: ServerResponse): Promise<void> => this.#serve(request, response);
    this.#server = new LoopbackServer({ serve }, options.logger);
  }

  /** Listens on `port`, or on a free port for 0, and returns the port. Rejects with `invalid-arguments` if the port is in use. */
  async listen(port: number): Promise<number> {
    try {
      return await this.#server.listen(port);
    } catch (failure) {
      throw notListening(port, failure);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#admit(request.headers);
      await this.#route(request, response);
    } catch (failure) {
      if (response.destroyed) return; // The client has left.
      const answered = this.#failureOf(failure);
      // Close the connection, since the rest of the body remains unread.
      if (answered.status === 413) response.setHeader("connection", "close");
      writeJson(response, answered.status, answered.body);
    }
  }

  /** Rejects requests from browsers (by `Origin`), requests with a rebound `Host` name, and requests without the token. */
  #admit(headers: IncomingHttpHeaders): void {
    if (!isLocal(headers)) throw new ErrorResponse(403, "forbidden", "Only programs on this machine can connect.");
    if (hasToken(headers, this.options.token)) return;
    throw new ErrorResponse(
      401,
      "invalid_api_key",
      "The token is missing or wrong. `serve-openai` shows where to find it.",
    );
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const isPost = request.method === "POST";
    if (isPost && path === "/v1/chat/completions") {
      return this.#complete(parseChatRequest(await this.#readJson(request)), response);
    }
    if (isPost && path === "/v1/responses") {
      return this.#respond(parseResponsesRequest(await this.#readJson(request)), response);
    }
    const [, model] = /^\/v1\/models(?:\/(.+))?$/.exec(path) ?? [];
    if (request.method !== "GET" || (model === undefined && path !== "/v1/models")) {
      throw new ErrorResponse(404, "not_found", `${request.method ?? ""} ${path} isn't supported.`);
    }
    const models = this.options.service.models.map(({ id, name }) => ({
      id,
      object: "model",
      created: 0,
      owned_by: name,
    }));
    const found =
      model === undefined ? { object: "list", data: models } : models.find(({ id }) => id === decoded(model));
    if (!found) throw new ErrorResponse(404, "model_not_found", `There is no model "${model ?? ""}".`, "model");
    writeJson(response, 200, found);
  }

  async #readJson(request: IncomingMessage): Promise<unknown> {
    const { maxBodyBytes = defaultMaxBodyBytes } = this.options;
    const body = await readBody(request, maxBodyBytes);
    if (body === undefined)
      throw new ErrorResponse(413, "request_too_large", `The request is larger than ${maxBodyBytes} bytes.`);
    const value = parsedValue(body);
    if (value === undefined) throw invalidRequest("body", "must be valid JSON.");
    return value;
  }

  async #complete(request: ChatRequest, response: ServerResponse): Promise<void> {
    const head = { id: newId("chatcmpl-"), created: secondsNow(), model: request.model };
    const writer = request.isStreaming
      ? new StreamedAnswer(response, this.#streamInto(response), head, request.includesUsage)
      : new WholeAnswer(response, head);
    await this.#answer(request, writer, response);
  }

  async #respond(request: ResponsesRequest, response: ServerResponse): Promise<void> {
    const history = request.previousId === undefined ? [] : this.#responses.messagesOf(request.previousId);
    const head = { id: newId("resp_"), created: secondsNow(), request };
    const stream = request.isStreaming ? this.#streamInto(response) : undefined;
    const writer = new ResponseWriter(response, head, stream);
    await this.#answer(asChatRequest(request, history), writer, response, () => {
      if (request.isStored) this.#responses.keep(head.id, [...history, ...request.input, writer.message]);
    });
  }

  /** `onEnding` runs before the end is written, since a client may continue from the answer immediately. */
  async #answer(
    request: ChatRequest,
    writer: AnswerWriter,
    response: ServerResponse,
    onEnding: () => void = () => undefined,
  ): Promise<void> {
    const left = new AbortController();
    response.once("close", () => left.abort());
    try {
      const end = await this.options.service.answer(request, writer, left.signal);
      onEnding();
      writer.end(end);
    } catch (failure) {
      if (!left.signal.aborted) writer.fail(this.#failureOf(failure));
    }
  }

  #streamInto(response: ServerResponse): EventStream {
    return new EventStream(response, this.options.reader ?? usualReaderLimits, (unreadBytes) =>
      this.options.logger.warn("a client stopped reading its answer; the answer was dropped", { unreadBytes }),
    );
  }

  #failureOf(failure: unknown): ErrorResponse {
    if (failure instanceof ErrorResponse) return failure;
    if (failure instanceof SymposiumError) return new ErrorResponse(502, failure.code, failure.text);
    this.options.logger.error("a request failed", { message: messageOf(failure) });
    return new ErrorResponse(500, "internal", "The request failed. See the log for details.");
  }
}

function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll("-", "");
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** Decodes a path; returns malformed text unmodified. */
function decoded(text: string): string {
  return attempt(() => decodeURIComponent(text)) ?? text;
}

function notListening(port: number, failure: unknown): SymposiumError {
  return invalidArguments(
    `Can't listen on 127.0.0.1:${port}: ${messageOf(failure)}.`,
    "Choose another port with --port; 0 picks a free one.",
  );
}
