import type { OversizeLine } from "../line-splitter.js";
import { Frame, FrameScanner } from "./frame.js";
import type { Json } from "./json.js";
import { memberOf } from "./json-edit.js";
import { isJson } from "./json-scan.js";
import { Notification, Outcome, type Request as RpcRequest, Request } from "./message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "./peer.js";
import { RpcError } from "./rpc-error.js";

/** ACP's request cancellation (`$/cancel_request {requestId}`), which is never forwarded to another hop. */
export const cancelRequestMethod = "$/cancel_request";

interface ConnectionOptions {
  send(line: string): void;
  readonly inbound: Peer;
  /** Whether to answer unreadable lines with an error, as on stdin. Otherwise such lines are only reported. */
  readonly answersGarbage: boolean;
  /** Called with the reason for each skipped line. Omits the text, which may be secret. */
  onSkipped?(reason: string): void;
}

/**
 * JSON-RPC 2.0 connection to one neighbor. Assigns new ids to outgoing requests, restores the neighbor's ids on answers as raw text, and
 * confines cancellations to this hop. Independent of ACP methods.
 */
export class Connection implements Peer {
  readonly #outgoing = new Map<string, Reply>();
  /** A set instead of a map by id, so that a neighbor that reuses an id still gets both answers. */
  readonly #incoming = new Set<IncomingRequest>();
  readonly #frames = new FrameScanner();
  #nextId = 1;
  #closedWith: Outcome | undefined;

  constructor(private readonly options: ConnectionOptions) {}

  request(request: RpcRequest, reply: Reply): Cancel {
    if (this.#closedWith) {
      reply(this.#closedWith);
      return nothingToCancel;
    }
    const id = String(this.#nextId++);
    this.#outgoing.set(id, reply);
    this.options.send(request.textWithId(id));
    let isCancelled = false;
    return () => {
      if (isCancelled || !this.#outgoing.has(id)) return;
      isCancelled = true;
      this.options.send(`{"jsonrpc":"2.0","method":"${cancelRequestMethod}","params":{"requestId":${id}}}`);
    };
  }

  notify(notification: Notification): void {
    if (!this.#closedWith) this.options.send(notification.text);
  }

  /** Closes the connection: answers all pending and later requests with `outcome`. */
  close(outcome: Outcome): void {
    if (this.#closedWith) return;
    this.#closedWith = outcome;
    const waiting = [...this.#outgoing.values()];
    this.#outgoing.clear();
    for (const reply of waiting) reply(outcome);
    const abandoned = [...this.#incoming];
    this.#incoming.clear();
    for (const { cancel } of abandoned) cancel();
  }

  receive(line: string): void {
    if (this.#closedWith) return;
    const frame = this.#frames.scan(line);
    if (frame === undefined) this.#refuse(line);
    else if (frame.method.isPresent) this.#receiveCall(frame);
    else if (frame.id.isPresent && (frame.result.isPresent || frame.error.isPresent)) this.#receiveAnswer(frame);
    else this.#refuseFrame(frame, "neither a method nor a result or an error");
  }

  /** Rejects the message of an oversized line; the connection continues. */
  receiveOversize(line: OversizeLine, maxBytes: number): void {
    const error = RpcError.invalidRequest(
      `a message of ${line.bytes} bytes exceeds the limit of ${maxBytes}. Raise "maxMessageBytes" in config.jsonc or send less at once.`,
    );
    const frame = Frame.scanHead(line.head);
    const found = frame.id.isPresent ? frame.id.of(frame.text) : idAtEnd(line.tail);
    const id = found !== undefined && isJson(found) ? found : undefined;
    if (!frame.method.isPresent && id !== undefined) this.#settle(id, Outcome.error(error));
    else if (id !== undefined) this.options.send(Outcome.error(error).textWithId(id));
    else if (this.options.answersGarbage) this.options.send(Outcome.error(error).textWithId("null"));
    this.options.onSkipped?.(`line of ${line.bytes} bytes exceeds the limit of ${maxBytes}`);
  }

  #receiveCall(frame: Frame): void {
    const method = frame.methodName;
    if (method === undefined) {
      this.#refuseFrame(frame, "the method is not a string");
      return;
    }
    if (this.options.answersGarbage) {
      const problem = callProblem(frame);
      if (problem !== undefined) {
        this.#refuseFrame(frame, problem);
        return;
      }
    }
    if (method === cancelRequestMethod && !frame.id.isPresent)
      this.cancelIncoming(new Notification(method, undefined, frame).params);
    else if (frame.id.isPresent) this.#receiveRequest(method, frame);
    else this.options.inbound.notify(new Notification(method, undefined, frame));
  }

  #receiveRequest(method: string, frame: Frame): void {
    const incoming: IncomingRequest = { id: frame.id.of(frame.text), cancel: nothingToCancel };
    if (!isJson(incoming.id)) {
      this.#refuseFrame(frame, "the id is not JSON");
      return;
    }
    this.#incoming.add(incoming);
    // Drop a second answer to the same request, and answers after close().
    incoming.cancel = this.options.inbound.request(new Request(method, undefined, frame), (outcome) => {
      if (this.#incoming.delete(incoming)) this.options.send(outcome.textWithId(incoming.id));
    });
  }

  /** Handles cancellation parameters, which some neighbors wrap in an envelope. */
  cancelIncoming(params: Json | undefined): void {
    const id = params && memberOf(params, "requestId")?.text;
    for (const incoming of [...this.#incoming]) if (incoming.id === id) incoming.cancel();
  }

  #receiveAnswer(frame: Frame): void {
    this.#settle(frame.id.of(frame.text), Outcome.ofFrame(frame));
  }

  #settle(id: string, outcome: Outcome): void {
    const key = id.startsWith('"') ? id.slice(1, -1) : id;
    const reply = this.#outgoing.get(key);
    if (reply === undefined) {
      this.options.onSkipped?.("answer to an unknown request");
      return;
    }
    this.#outgoing.delete(key);
    reply(outcome);
  }

  #refuse(line: string): void {
    if (!this.options.answersGarbage) {
      this.options.onSkipped?.("line that is not a JSON object");
      return;
    }
    let error = RpcError.parseError("the line is not JSON");
    try {
      const value: unknown = JSON.parse(line);
      error = Array.isArray(value)
        ? RpcError.invalidRequest("batches are not part of ACP")
        : RpcError.invalidRequest("a message must be a JSON object");
    } catch {
      // The text isn't JSON at all, so the parse error remains.
    }
    this.options.send(Outcome.error(error).textWithId("null"));
  }

  #refuseFrame(frame: Frame, problem: string): void {
    this.options.onSkipped?.(problem);
    if (!this.options.answersGarbage) return;
    const isAnswerable = frame.id.isPresent && isJson(frame.id.of(frame.text));
    const error = isJson(frame.text) ? RpcError.invalidRequest(problem) : RpcError.parseError(problem);
    this.options.send(Outcome.error(error).textWithId(isAnswerable ? frame.id.of(frame.text) : "null"));
  }
}

interface IncomingRequest {
  readonly id: string;
  cancel: Cancel;
}

/**
 * Explains why a client's call is invalid (JSON-RPC 2.0, section 4); undefined if it is valid. In valid JSON, a value's first character
 * determines its type.
 */
function callProblem(frame: Frame): string | undefined {
  if (!isJson(frame.text)) return "the line is not JSON";
  if (!frame.version.isPresent || frame.version.of(frame.text) !== '"2.0"') return 'the member "jsonrpc" must be "2.0"';
  if (frame.id.isPresent && !/["\dn-]/.test(frame.text.charAt(frame.id.start))) {
    return "the id must be a string, a number or null";
  }
  if (frame.params.isPresent && !/[{[n]/.test(frame.text.charAt(frame.params.start))) return "params must be an object";
  return undefined;
}

/** Extracts the id of an oversized message if the id is one of the object's last members. */
function idAtEnd(tail: string): string | undefined {
  return /,\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail)?.[1];
}
