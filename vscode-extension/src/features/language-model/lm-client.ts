import * as l10n from "@vscode/l10n";
import {
  AgentRefusal,
  ask,
  asObject,
  lmMethods,
  type LmPart,
  Notification,
  Outcome,
  type Peer,
  type PermissionParams,
  type PermissionResult,
  type Reply,
  Request,
  type ResponseParams,
  type ResponseResult,
  RpcError,
  stringOf,
} from "@symposium-dev/core";

interface Open {
  readonly modelId: string;
  readonly part: (part: LmPart) => void;
  readonly over: AbortSignal;
}

/**
 * Asks the user for permission when the agent behind a language model requests it. Aborts when the answer is no longer needed; never
 * rejects.
 */
export type AskPermission = (
  params: PermissionParams,
  modelId: string,
  signal: AbortSignal,
) => Promise<PermissionResult>;

interface LmClientOptions {
  readonly askPermission: AskPermission;
  /** Maximum milliseconds to wait for a cancelled response; default 10,000. */
  readonly cancelMs?: number;
}

export class LmClient {
  readonly inbound: Peer;
  readonly #open = new Map<string, Open>();
  #nextId = 1;

  constructor(private readonly options: LmClientOptions) {
    this.inbound = {
      request: (request, reply) => this.#request(request, reply),
      notify: (notification) => this.#notify(notification),
    };
  }

  get openCount(): number {
    return this.#open.size;
  }

  /**
   * Requests a response. `part` receives parts in order until the promise settles or `signal` aborts; after an abort, the promise resolves
   * within `cancelMs`. Rejects with {@link AgentRefusal}.
   */
  async respond(
    peer: Peer,
    params: ResponseParams,
    part: (part: LmPart) => void,
    signal: AbortSignal,
  ): Promise<ResponseResult> {
    const requestId = String(this.#nextId++);
    const ended = new AbortController();
    this.#open.set(requestId, { modelId: params.modelId, part, over: AbortSignal.any([ended.signal, signal]) });
    const answer = ask(peer, Request.of(lmMethods.response, { ...params, requestId }));
    const givenUp = new Promise<Outcome>((resolve) => {
      const cancel = (): void => {
        peer.notify(Notification.of(lmMethods.cancel, { requestId }));
        const timer = setTimeout(resolve, this.options.cancelMs ?? 10_000, Outcome.of({ stopReason: "cancelled" }));
        ended.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
      };
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true, signal: ended.signal });
    });
    try {
      const outcome = await Promise.race([answer, givenUp]);
      if (outcome.isError) throw new AgentRefusal(outcome.json.value);
      const stopReason = stringOf(asObject(outcome.json.value)?.["stopReason"]);
      return stopReason === undefined ? {} : { stopReason };
    } finally {
      this.#open.delete(requestId);
      ended.abort();
    }
  }

  #notify({ method, params }: Notification): void {
    if (method !== lmMethods.responsePart) return;
    const members = asObject(params?.value);
    const part = toLmPart(members?.["part"]);
    const open = this.#open.get(String(members?.["requestId"]));
    // After a cancel, the editor soon closes the receiver and throws on late parts.
    if (part && open?.over.aborted === false) open.part(part);
  }

  #request(request: Request, reply: Reply): () => void {
    if (request.method !== lmMethods.permission) {
      reply(Outcome.error(RpcError.methodNotFound(request.method)));
      return () => undefined;
    }
    const params = toPermission(request.params?.value);
    const open = params && this.#open.get(String(params.requestId));
    if (!open || open.over.aborted) {
      // The response was cancelled or has ended.
      reply(Outcome.of({ outcome: "cancelled" } satisfies PermissionResult));
      return () => undefined;
    }
    const given = new AbortController();
    const signal = AbortSignal.any([open.over, given.signal]);
    const answer = (result: PermissionResult): void => reply(Outcome.of(result));
    signal.addEventListener("abort", () => answer({ outcome: "cancelled" }), { once: true });
    void this.options.askPermission(params, open.modelId, signal).then(answer);
    return () => given.abort();
  }
}

/** Parses a part of a message. Returns undefined for an unknown kind. */
function toLmPart(value: unknown): LmPart | undefined {
  const part = asObject(value);
  switch (part?.["type"]) {
    case "text":
    case "thinking":
      return typeof part["value"] === "string" ? (part as LmPart) : undefined;
    case "tool_call":
      return typeof part["toolCallId"] === "string" && typeof part["toolName"] === "string"
        ? (part as LmPart)
        : undefined;
    case "data":
      return typeof part["data"] === "string" && typeof part["mimeType"] === "string" ? (part as LmPart) : undefined;
    case "usage":
      return part as LmPart;
    default:
      return undefined;
  }
}

function toPermission(value: unknown): PermissionParams | undefined {
  const params = asObject(value);
  const requestId = params?.["requestId"];
  if (params === undefined || (typeof requestId !== "number" && typeof requestId !== "string")) return undefined;
  const kind = stringOf(params["kind"]);
  return {
    requestId,
    title: stringOf(params["title"]) ?? l10n.t("Unnamed action"),
    ...(kind === undefined ? {} : { kind }),
    ...(params["rawInput"] === undefined ? {} : { rawInput: params["rawInput"] }),
  };
}
