import { SymposiumError, type SymposiumErrorCode } from "../../base/symposium-error.js";
import { asObject, numberOf, stringOf } from "../../base/rpc/json.js";
import { type RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";

/** An agent that failed to start or exited. `details` is the end of its stderr output, if any. */
export class AgentFailure extends SymposiumError {
  constructor(
    code: SymposiumErrorCode,
    message: string,
    hint?: string,
    readonly details?: string,
  ) {
    super(code, message, hint);
  }
}

/** An error response from the agent or from a component between client and agent. */
export class AgentRefusal extends Error {
  override readonly name = "AgentRefusal";
  readonly code: number | undefined;
  /** The error's message without the details that {@link message} appends. */
  readonly reason: string | undefined;
  readonly data: unknown;

  /** `error` is the JSON-RPC error object, unvalidated. */
  constructor(readonly error: unknown) {
    const { code, message, data } = asObject(error) ?? {};
    const detail = detailOf(data);
    const text = stringOf(message) ?? "The agent returned an error without a message.";
    super(detail === undefined || text.includes(detail) ? text : `${text}: ${detail}`);
    this.code = numberOf(code);
    this.reason = stringOf(message);
    this.data = data;
  }

  get wantsSignIn(): boolean {
    return this.code === rpcErrorCodes.authRequired;
  }

  /**
   * The failure that the conductor reported if a component exited or failed to start, including the component's stderr. Undefined for other
   * errors.
   */
  get failure(): AgentFailure | undefined {
    const data = asObject(this.data);
    if (stringOf(data?.["component"]) === undefined) return undefined;
    return new AgentFailure("component-exited", this.message, undefined, stringOf(data?.["stderr"]));
  }
}

/** Returns the details in an error's `data`, which agents send as a string or as an object with a string. */
function detailOf(data: unknown): string | undefined {
  const members = asObject(data);
  const text = stringOf(data) ?? stringOf(members?.["details"]) ?? stringOf(members?.["message"]);
  return text === "" ? undefined : text;
}

/** Thrown by a handler to answer the agent's request with exactly this error. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";

  constructor(readonly error: RpcError) {
    super(error.message);
  }
}
