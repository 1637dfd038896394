import { Json } from "../src/base/rpc/json.js";
import { type Notification, Outcome, type Request } from "../src/base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../src/base/rpc/peer.js";
import { RpcError } from "../src/base/rpc/rpc-error.js";
import { stringMember } from "./members.js";

/** One thing a peer was sent. A `cancel` names the method of the request that was given up. */
export interface Received {
  readonly kind: "request" | "notification" | "cancel";
  readonly method: string;
  /** Raw text; undefined when there were none. */
  readonly params: Json | undefined;
}

/** A request that its answer leaves open: whoever holds it replies. */
export interface OpenRequest {
  readonly request: Request;
  readonly reply: Reply;
}

/** How a method is answered: an outcome, a result as a plain value, or a function that gives either. Undefined leaves it open. */
export type Answer =
  | ((request: Request) => unknown)
  | Outcome
  | Readonly<Record<string, unknown>>
  | readonly unknown[]
  | string
  | number
  | boolean
  | null;

/** A peer that remembers all it gets, answers requests by a table, and refuses what the table lacks with -32601. */
export class RecordingPeer implements Peer {
  readonly received: Received[] = [];
  /** Requests without an answer so far, oldest first. */
  readonly open: OpenRequest[] = [];
  readonly #waiting: { readonly isMatch: (received: Received) => boolean; readonly resolve: (it: Received) => void }[] =
    [];

  constructor(private readonly answers: Readonly<Record<string, Answer>> = {}) {}

  request(request: Request, reply: Reply): Cancel {
    const answer = Object.hasOwn(this.answers, request.method) ? this.answers[request.method] : undefined;
    const value: unknown = typeof answer === "function" ? answer(request) : answer;
    this.#record({ kind: "request", method: request.method, params: request.params });
    if (value !== undefined) {
      reply(value instanceof Outcome ? value : Outcome.of(value));
      return nothingToCancel;
    }
    if (answer === undefined) {
      reply(Outcome.error(RpcError.methodNotFound(request.method)));
      return nothingToCancel;
    }
    return this.#keepOpen(request, reply);
  }

  notify(notification: Notification): void {
    this.#record({ kind: "notification", method: notification.method, params: notification.params });
  }

  #keepOpen(request: Request, reply: Reply): Cancel {
    const open: OpenRequest = {
      request,
      reply: (outcome) => {
        this.open.splice(this.open.indexOf(open), 1);
        reply(outcome);
      },
    };
    this.open.push(open);
    return () => this.#record({ kind: "cancel", method: request.method, params: undefined });
  }

  /** The first thing received, past or future, of that method (and kind, when given). */
  async waitFor(method: string, kind?: Received["kind"]): Promise<Received> {
    const isMatch = (it: Received): boolean => it.method === method && (kind === undefined || it.kind === kind);
    return this.received.find(isMatch) ?? new Promise((resolve) => this.#waiting.push({ isMatch, resolve }));
  }

  /** The first `session/update` of that kind, past or future. */
  async waitForUpdate(kind: string): Promise<Received> {
    const isMatch = ({ method, params }: Received): boolean =>
      method === "session/update" && Json.of(params?.object?.["update"]).object?.["sessionUpdate"] === kind;
    return this.received.find(isMatch) ?? new Promise((resolve) => this.#waiting.push({ isMatch, resolve }));
  }

  /** Methods received, in order. */
  get methods(): string[] {
    return this.received.map((it) => it.method);
  }

  /** The parsed `update` of every `session/update`, in order. */
  get updates(): Readonly<Record<string, unknown>>[] {
    return this.received
      .filter((it) => it.method === "session/update")
      .map((it) => Json.of(it.params?.object?.["update"]).object ?? {});
  }

  /** The text of all agent messages, joined. */
  get text(): string {
    return this.updates
      .filter((update) => update["sessionUpdate"] === "agent_message_chunk")
      .map((update) => stringMember(Json.of(update["content"]), "text") ?? "")
      .join("");
  }

  #record(received: Received): void {
    this.received.push(received);
    const due = this.#waiting.filter((it) => it.isMatch(received));
    for (const waiting of due) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve(received);
    }
  }
}
