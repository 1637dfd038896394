import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { acpMethods } from "../../../../base/acp/methods.js";
import { sessionIdOf } from "../../../../base/acp/session-message.js";
import type { ComponentProcess, ProcessHandlers } from "../../../../base/component-process.js";
import { Frame } from "../../../../base/rpc/frame.js";
import { Json } from "../../../../base/rpc/json.js";
import { Outbox } from "./outbox.js";

/** Connects one client with the host. The handlers receive the host's messages. */
export type ConnectClient = (handlers: ProcessHandlers) => ComponentProcess;

/** Unread characters at which the client's messages stay in the host, which replays a session to a client that reads slowly. */
const mostUnread = 1024 * 1024;
/** Maximum number of event streams, and of requests without an answer. */
const mostPending = 1024;

interface HttpClientOptions {
  readonly connect: ConnectClient;
  /** Milliseconds without an event stream after which the listener disconnects the client. */
  readonly goneMs: number;
  readonly onEnd: () => void;
}

/**
 * Client over Streamable HTTP. Its messages arrive by POST; messages to the client leave on one event stream for the connection and one for
 * each session.
 */
export class HttpClient {
  readonly id = randomUUID();
  readonly #process: ComponentProcess;
  /** Messages by session ID; the connection's own messages have the key "". */
  readonly #outboxes = new Map<string, Outbox>();
  /** Sessions whose streams get the answers to the client's open requests, by request ID. */
  readonly #routes = new Map<string, string>();
  readonly #waiters: (() => void)[] = [];
  #first: { readonly id: string; readonly resolve: (answer: string | undefined) => void } | undefined;
  #gone: NodeJS.Timeout | undefined;
  #isPaused = false;
  #hasEnded = false;

  constructor(private readonly options: HttpClientOptions) {
    this.#process = options.connect({
      line: (line) => this.#take(line),
      oversize: () => this.end(),
      end: () => undefined,
      stalled: () => undefined,
    });
    this.#process.onCongestion(() => this.#release());
    void this.#process.exited.then(() => this.end());
    this.#watch();
  }

  /** Sends the client's first request and resolves with the answer as JSON; with undefined if the host ends before. */
  initialize(text: string, id: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#first = { id, resolve };
      this.#process.send(text);
    });
  }

  /** Resolves when the host takes more messages, so that a client can't fill this process's memory. */
  async takesMore(): Promise<void> {
    if (!this.#process.isCongested || this.#hasEnded) return;
    await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** Forwards a message. Returns the HTTP status. */
  receive({ text, id, method, methodName, params }: Frame, header: string | undefined): number {
    if (this.#hasEnded) return 404;
    if (method.isPresent) {
      const session = params.isPresent ? sessionIdOf(Json.ofText(params.of(text))) : undefined;
      if (session !== undefined && session !== header) return 400;
      if (id.isPresent) {
        if (this.#routes.size >= mostPending) return 503;
        // A client that loads a session may open the session's stream after the answer.
        this.#routes.set(id.of(text), methodName === acpMethods.sessionLoad ? "" : (header ?? ""));
      }
    }
    this.#process.send(text);
    return 202;
  }

  /** Opens an event stream. Returns the HTTP status of a refusal. */
  open(response: ServerResponse, session = ""): number | undefined {
    if (this.#hasEnded) return 404;
    const outbox = this.#outboxFor(session);
    if (!outbox) return 503;
    if (outbox.isOpen) return 409;
    outbox.open(response, () => this.#watch());
    this.#watch();
    return undefined;
  }

  /** Disconnects the client from the host. Its sessions continue. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#gone);
    this.#first?.resolve(undefined);
    this.#release();
    for (const outbox of this.#outboxes.values()) outbox.end();
    this.#outboxes.clear();
    void this.#process[Symbol.asyncDispose]();
    this.options.onEnd();
  }

  #take(line: string): void {
    const frame = Frame.scan(line);
    if (!frame || this.#hasEnded) return;
    const { id, method, params } = frame;
    if (method.isPresent) {
      this.#send(line, params.isPresent ? sessionIdOf(Json.ofText(params.of(line))) : undefined);
      return;
    }
    const answered = id.of(line);
    if (this.#first?.id === answered) {
      this.#first.resolve(line);
      this.#first = undefined;
      return;
    }
    const route = this.#routes.get(answered);
    this.#routes.delete(answered);
    this.#send(line, route);
  }

  #send(line: string, session = ""): void {
    const outbox = this.#outboxFor(session);
    if (!outbox) return this.end();
    outbox.send(line);
    this.#pace();
  }

  #outboxFor(session: string): Outbox | undefined {
    const known = this.#outboxes.get(session);
    if (known || this.#outboxes.size >= mostPending) return known;
    const outbox = new Outbox(() => this.#pace());
    this.#outboxes.set(session, outbox);
    return outbox;
  }

  /** Stops reading from the host while the client reads too slowly. */
  #pace(): void {
    let unread = 0;
    for (const outbox of this.#outboxes.values()) unread += outbox.unread;
    const isSlow = unread > (this.#isPaused ? mostUnread / 4 : mostUnread);
    if (isSlow === this.#isPaused) return;
    this.#isPaused = isSlow;
    if (isSlow) this.#process.pause();
    else this.#process.resume();
  }

  #watch(): void {
    clearTimeout(this.#gone);
    if (this.#hasEnded || [...this.#outboxes.values()].some(({ isOpen }) => isOpen)) return;
    this.#gone = setTimeout(() => this.end(), this.options.goneMs).unref();
  }

  #release(): void {
    if (!this.#process.isCongested || this.#hasEnded) for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
