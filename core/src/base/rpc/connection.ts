import type { OversizeLine } from "../line-splitter.js";
import { Frame } from "./frame.js";
import type { Json } from "./json.js";
import { memberOf } from "./json-edit.js";
import { isJson } from "./json-scan.js";
import { Notification, Outcome, type Request as RpcRequest, Request } from "./message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "./peer.js";
import { RpcError } from "./rpc-error.js";

/** Wire name of ACP's request cancellation (`$/cancel_request {requestId}`), which belongs to one hop. */
export const cancelRequestMethod = "$/cancel_request";

interface ConnectionOptions {
  /** Queues one line, without its newline. */
  send(line: string): void;
  /** Receives what the other side asks. */
  readonly inbound: Peer;
  /** True where the other side must hear of lines we cannot read (our own stdin); else they are only reported. */
  readonly answersGarbage: boolean;
  /** A line that was skipped, and why. The text itself may be secret and is not handed out. */
  onSkipped?(reason: string): void;
}

/**
 * JSON-RPC 2.0 with one neighbour. Gives outgoing requests ids of its own, restores the neighbour's ids on
 * answers as raw text, and keeps cancellation on its hop. Knows nothing of ACP methods.
 */
export class Connection implements Peer {
  readonly #outgoing = new Map<string, Reply>();
  /** A set, not a map by id: a neighbour that uses an id twice at once still gets two answers. */
  readonly #incoming = new Set<IncomingRequest>();
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

  /** Ends the connection: every request that waits for the neighbour is answered with `outcome`, later ones too. */
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
    const frame = Frame.scan(line);
    if (frame === undefined) this.#refuse(line);
    else if (frame.method.isPresent) this.#receiveCall(frame);
    else if (frame.id.isPresent && (frame.result.isPresent || frame.error.isPresent)) this.#receiveAnswer(frame);
    else this.#refuseFrame(frame, "neither a method nor a result or an error");
  }

  /** A line over the limit: the message it carried fails, the connection goes on. */
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
    // A second answer finds it gone, and so does one that comes after close().
    incoming.cancel = this.options.inbound.request(new Request(method, undefined, frame), (outcome) => {
      if (this.#incoming.delete(incoming)) this.options.send(outcome.textWithId(incoming.id));
    });
  }

  /** Handles the parameters of a cancellation, which some neighbours wrap in an envelope of their own. */
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
        : RpcError.invalidRequest("a message is a JSON object");
    } catch {
      // Not JSON at all: the parse error stands.
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
  /** Raw JSON, as the neighbour wrote it. */
  readonly id: string;
  cancel: Cancel;
}

/**
 * Why a call from our own client cannot be taken, or undefined when it can (JSON-RPC 2.0, section 4). Of a value that is known to
 * be JSON, the first character tells the kind.
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

/** The id of a message whose other members were too long to keep: the last member of the object. */
function idAtEnd(tail: string): string | undefined {
  return /,\s*"id"\s*:\s*("[^"\\]*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail)?.[1];
}
