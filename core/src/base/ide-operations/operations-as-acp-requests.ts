import { linkedSignal } from "../linked-signal.js";
import { untilAborted } from "../until-aborted.js";
import { messageOf, SymposiumError } from "../symposium-error.js";
import { asObject, stringOf } from "../rpc/json.js";
import { type Outcome, Request } from "../rpc/message.js";
import { ask, type Peer } from "../rpc/peer.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import { type IdeOperations, notSupported } from "./ide-operations.js";
import { ideOperationReaders } from "./operation-types.js";
import type { IdeParams, IdeResult } from "./operation-types.js";
import { Fault } from "./reader.js";
import { type IdeOperationName, ideOperationMethod } from "./wire.js";

interface UpstreamOptions {
  readonly peer: Peer;
  readonly workspace: string;
  readonly supported: ReadonlySet<IdeOperationName>;
  /** Timeout for each answer; default one minute. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 60_000;

/** Forwards IDE operations as extension requests to `peer`. */
export function upstreamIdeOperations(options: UpstreamOptions): IdeOperations {
  const { peer, workspace, supported, timeoutMs = defaultTimeoutMs } = options;
  return {
    supported,
    async run(name, params, signal) {
      if (!supported.has(name)) throw notSupported(name);
      return readAnswer(
        name,
        await answerInTime(peer, requestOf(name, params, workspace), { name, timeoutMs, signal }),
      );
    },
  };
}

function requestOf<N extends IdeOperationName>(name: N, params: IdeParams<N>, workspace: string): Request {
  return Request.of(ideOperationMethod(name), { workspace, ...params });
}

interface Limits {
  readonly name: IdeOperationName;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Waits for the answer. On abort or timeout, rejects immediately and sends a cancellation to the peer. */
async function answerInTime(peer: Peer, request: Request, { name, timeoutMs, signal }: Limits): Promise<Outcome> {
  const cancelled = new SymposiumError("cancelled", `"${name}" was cancelled.`);
  if (signal.aborted) throw cancelled;
  using limit = linkedSignal([signal], timeoutMs);
  try {
    return await untilAborted(ask(peer, request, limit.signal), limit.signal);
  } catch (fault) {
    if (limit.isLate)
      throw failed(name, `no answer within ${timeoutMs / 1000} s`, "Try again, or request less at once.");
    throw limit.signal.aborted ? cancelled : failed(name, messageOf(fault));
  }
}

function readAnswer<N extends IdeOperationName>(name: N, outcome: Outcome): IdeResult<N> {
  if (outcome.isError) throw failureOf(name, outcome);
  const result = ideOperationReaders[name].result(outcome.json.object, "");
  if (!(result instanceof Fault)) return result;
  throw failed(name, `its answer cannot be read: ${result.message}`);
}

function failureOf(name: IdeOperationName, outcome: Outcome): SymposiumError {
  const { code, message, data } = outcome.json.object ?? {};
  if (code === rpcErrorCodes.methodNotFound) return notSupported(name);
  if (code === rpcErrorCodes.requestCancelled) return new SymposiumError("cancelled", `"${name}" was cancelled.`);
  const hint = asObject(data)?.["hint"];
  return failed(name, typeof message === "string" ? message : "no reason given", stringOf(hint));
}

function failed(name: IdeOperationName, reason: string, hint?: string): SymposiumError {
  return new SymposiumError("ide-operation-failed", `"${name}" failed: ${reason}`, hint);
}
