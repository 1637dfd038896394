import { acpMethods } from "../../base/acp/methods.js";
import { asObject, objectsOf } from "../../base/rpc/json.js";
import { Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { SessionClient } from "./attachment.js";

/** Returns whether `method` is a question to the user that any client can answer. */
export function isQuestion(method: string): boolean {
  return method === acpMethods.requestPermission || method === acpMethods.createElicitation;
}

/**
 * Permission request or form that all attached clients receive. The first decisive answer wins and the other clients get
 * `$/cancel_request`. An error or dismissal applies only if all asked clients gave one. Without clients, the question waits.
 */
export class Question {
  readonly #asked = new Map<SessionClient, Cancel>();
  readonly #dismissed = new Map<SessionClient, Outcome>();
  #isSettled = false;

  constructor(
    private readonly request: Request,
    private readonly reply: Reply,
    private readonly onSettled: (question: Question) => void,
  ) {}

  /** Asks a client, unless it was already asked. Skips forms for clients that don't support them. */
  ask(client: SessionClient): void {
    const isForm = this.request.method === acpMethods.createElicitation;
    if (this.#isSettled || this.#asked.has(client) || (isForm && !client.can("elicitation"))) return;
    this.#asked.set(client, nothingToCancel);
    const cancel = client.peer.request(this.request, (outcome) => this.#answered(client, outcome));
    if (this.#asked.has(client)) this.#asked.set(client, cancel);
  }

  /** Stops waiting for a client that disconnects or detaches. */
  leave(client: SessionClient): void {
    const cancel = this.#asked.get(client);
    this.#asked.delete(client);
    this.#dismissed.delete(client);
    cancel?.();
    this.#settleDismissed();
  }

  /** Answers the agent as ACP requires for a cancelled turn, and ignores later answers. `by` is the client that cancelled. */
  cancel(by: SessionClient | undefined): void {
    this.#settle(cancelledAnswer(this.request.method), by);
  }

  abandon(): void {
    this.#settle(Outcome.error(RpcError.cancelled()), undefined);
  }

  #answered(client: SessionClient, outcome: Outcome): void {
    if (this.#isSettled || !this.#asked.has(client)) return;
    if (decides(this.request, outcome)) {
      this.#settle(outcome, client);
      return;
    }
    this.#dismissed.set(client, outcome);
    this.#settleDismissed();
  }

  #settleDismissed(): void {
    const last = [...this.#dismissed.values()].at(-1);
    if (last && this.#dismissed.size === this.#asked.size) this.#settle(last, undefined);
  }

  #settle(outcome: Outcome, by: SessionClient | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const asked = [...this.#asked].filter(([client]) => client !== by && !this.#dismissed.has(client));
    this.#asked.clear();
    this.onSettled(this);
    this.reply(outcome);
    for (const [, cancel] of asked) cancel();
  }
}

export function cancelledAnswer(method: string): Outcome {
  return Outcome.of(
    method === acpMethods.requestPermission ? { outcome: { outcome: "cancelled" } } : { action: "cancel" },
  );
}

/** Returns whether an answer is decisive: an offered option, or an accepted or declined form. */
function decides({ method, params }: Request, { isError, json }: Outcome): boolean {
  if (isError) return false;
  if (method === acpMethods.createElicitation) {
    const action = json.object?.["action"];
    return action === "accept" || action === "decline";
  }
  const { outcome, optionId } = asObject(json.object?.["outcome"]) ?? {};
  const isOffered = objectsOf(params?.object?.["options"]).some((option) => option["optionId"] === optionId);
  return outcome === "selected" && isOffered;
}
