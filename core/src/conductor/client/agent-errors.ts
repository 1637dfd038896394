import { SymposiumError, type SymposiumErrorCode } from "../../base/symposium-error.js";
import { asObject, numberOf, stringOf } from "../../base/rpc/json.js";
import { type RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";

/** An agent that could not start, or ended. `details` is the tail of what it wrote to stderr, where it wrote anything. */
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

/** An error that the agent, or a component before it, gave as its answer. */
export class AgentRefusal extends Error {
  override readonly name = "AgentRefusal";
  readonly code: number | undefined;
  /** What the agent gave as the error's message, alone; {@link message} has the detail of its data, too. */
  readonly reason: string | undefined;
  readonly data: unknown;

  /** `error` is the JSON-RPC error object as it came. */
  constructor(readonly error: unknown) {
    const { code, message, data } = asObject(error) ?? {};
    const detail = detailOf(data);
    const text = stringOf(message) ?? "The agent returned an error without a message.";
    super(detail === undefined || text.includes(detail) ? text : `${text}: ${detail}`);
    this.code = numberOf(code);
    this.reason = stringOf(message);
    this.data = data;
  }

  /** Whether the agent wants the user to sign in first. */
  get wantsSignIn(): boolean {
    return this.code === rpcErrorCodes.authRequired;
  }

  /** Where the conductor reports a component that ended or did not start: what that wrote to stderr. */
  get failure(): AgentFailure | undefined {
    const data = asObject(this.data);
    if (stringOf(data?.["component"]) === undefined) return undefined;
    return new AgentFailure("component-exited", this.message, undefined, stringOf(data?.["stderr"]));
  }
}

/** What agents put beside the message: a text, or an object with one. */
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
