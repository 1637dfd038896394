import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../../base/logger.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import type { ChatService } from "../../openai/chat-service.js";
import { type ChatRequest, parseChatRequest } from "../../openai/chat-request.js";
import { OpenAiFailure } from "../../openai/openai-failure.js";
import { ResponseStore } from "../../openai/response-store.js";
import { asChatRequest, parseResponsesRequest, type ResponsesRequest } from "../../openai/responses-request.js";
import { isLoopback, isSame } from "../mcp-bridge/access.js";
import { type AnswerWriter, StreamedAnswer, WholeAnswer, writeJson } from "./answer-writer.js";
import { EventStream, type ReaderLimits, usualReaderLimits } from "./event-stream.js";
import { readJson } from "./request-body.js";
import { ResponseWriter } from "./response-writer.js";

export interface OpenAiServerOptions {
  readonly service: Pick<ChatService, "models" | "answer">;
  /** What `Authorization: Bearer` must carry. */
  readonly token: string;
  readonly logger: Logger;
  readonly maxBodyBytes?: number;
  readonly reader?: ReaderLimits;
}

/** Images come in the body, in base64. */
const defaultMaxBodyBytes = 32 * 1024 * 1024;

/** The OpenAI interface on 127.0.0.1: models, chat completions and responses, for whoever has the token. */
export class OpenAiServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #responses = new ResponseStore();

  constructor(private readonly options: OpenAiServerOptions) {
    // Importing node:http costs 40 ms and 10 MB, for a WebSocket client that its module facade drags in.
    const { createServer } = process.getBuiltinModule("node:http");
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // An agent may think for an hour.
    this.#server.requestTimeout = 0;
  }

  /** Listens, on any free port for 0, and resolves with the port. Rejects with `invalid-arguments` where it is taken. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (failure) => reject(notListening(port, failure)));
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    const address = this.#server.address() as AddressInfo;
    this.#server.on("error", (failure) =>
      this.options.logger.warn("the server had an error", { message: failure.message }),
    );
    return address.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#admit(request);
      await this.#route(request, response);
    } catch (failure) {
      const answered = this.#failureOf(failure);
      // What is left of the body is not read.
      if (answered.status === 413) response.setHeader("connection", "close");
      writeJson(response, answered.status, answered.body);
    }
  }

  /** Browsers are kept out by their Origin and by rebound Host names, everybody else by the token. */
  #admit({ headers }: IncomingMessage): void {
    const isLocal =
      isLoopback(`http://${headers.host ?? ""}`) && (headers.origin === undefined || isLoopback(headers.origin));
    if (!isLocal) throw new OpenAiFailure(403, "forbidden", "Only programs of this machine are served.");
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
    if (isSame(token, this.options.token)) return;
    throw new OpenAiFailure(401, "invalid_api_key", "The token is missing or wrong; `serve-openai` says where it is.");
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const { maxBodyBytes = defaultMaxBodyBytes } = this.options;
    const isPost = request.method === "POST";
    if (isPost && path === "/v1/chat/completions") {
      return this.#complete(parseChatRequest(await readJson(request, maxBodyBytes)), response);
    }
    if (isPost && path === "/v1/responses") {
      return this.#respond(parseResponsesRequest(await readJson(request, maxBodyBytes)), response);
    }
    const [, model] = /^\/v1\/models(?:\/(.+))?$/.exec(path) ?? [];
    if (request.method !== "GET" || (model === undefined && path !== "/v1/models")) {
      throw new OpenAiFailure(404, "not_found", `${request.method ?? ""} ${path} is not served here.`);
    }
    const models = this.options.service.models.map(({ id, name }) => ({
      id,
      object: "model",
      created: 0,
      owned_by: name,
    }));
    const found =
      model === undefined ? { object: "list", data: models } : models.find(({ id }) => id === decoded(model));
    if (!found) throw new OpenAiFailure(404, "model_not_found", `There is no model "${model ?? ""}".`, "model");
    writeJson(response, 200, found);
  }

  async #complete(request: ChatRequest, response: ServerResponse): Promise<void> {
    const head = { id: newId("chatcmpl-"), created: secondsNow(), model: request.model };
    const writer = request.isStreaming
      ? new StreamedAnswer(response, this.#streamInto(response), head, request.includesUsage)
      : new WholeAnswer(response, head);
    await this.#tell(request, writer, response);
  }

  async #respond(request: ResponsesRequest, response: ServerResponse): Promise<void> {
    const history = request.previousId === undefined ? [] : this.#responses.messagesOf(request.previousId);
    const head = { id: newId("resp_"), created: secondsNow(), request };
    const stream = request.isStreaming ? this.#streamInto(response) : undefined;
    const writer = new ResponseWriter(response, head, stream);
    await this.#tell(asChatRequest(request, history), writer, response, () => {
      if (request.isStored) this.#responses.keep(head.id, [...history, ...request.input, writer.message]);
    });
  }

  /** `onTold` is called when all is told but the end: whoever is told that may go on from there at once. */
  async #tell(
    request: ChatRequest,
    writer: AnswerWriter,
    response: ServerResponse,
    onTold: () => void = () => undefined,
  ): Promise<void> {
    const left = new AbortController();
    response.once("close", () => left.abort());
    try {
      const end = await this.options.service.answer(request, writer, left.signal);
      onTold();
      writer.end(end);
    } catch (failure) {
      if (!left.signal.aborted) writer.fail(this.#failureOf(failure));
    }
  }

  #streamInto(response: ServerResponse): EventStream {
    return new EventStream(response, this.options.reader ?? usualReaderLimits, (unreadBytes) =>
      this.options.logger.warn("a client does not read its answer, which is given up", { unreadBytes }),
    );
  }

  #failureOf(failure: unknown): OpenAiFailure {
    if (failure instanceof OpenAiFailure) return failure;
    if (failure instanceof SymposiumError) return new OpenAiFailure(502, failure.code, failure.text);
    this.options.logger.error("a request failed", { message: messageOf(failure) });
    return new OpenAiFailure(500, "internal", "The request failed; the log says more.");
  }
}

function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll("-", "");
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** The words of a path; as they are where they are not encoded well. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function notListening(port: number, failure: Error): SymposiumError {
  return new SymposiumError(
    "invalid-arguments",
    `Nothing can listen on 127.0.0.1:${port}: ${failure.message}.`,
    "Choose another port with --port; 0 takes any that is free.",
  );
}
