import { ModelFailure } from "../agent-connection.js";

/** A request that is answered with an error, as the OpenAI interface words them. */
export class ErrorResponse extends Error {
  override readonly name = "ErrorResponse";

  /** `status` is that of HTTP, `code` is for programs, `parameter` the member of the request that is at fault. */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly parameter?: string,
  ) {
    super(message);
  }

  /** The body of the response. */
  get body(): unknown {
    const type = this.status >= 500 ? "server_error" : "invalid_request_error";
    return { error: { message: this.message, type, param: this.parameter ?? null, code: this.code } };
  }
}

/** A member of the request that cannot be taken as it is. */
export function invalidRequest(parameter: string, message: string): ErrorResponse {
  return new ErrorResponse(400, "invalid_value", `${parameter}: ${message}`, parameter);
}

/** A failure of an agent in the words of the OpenAI interface; anything else stays what it is. */
export function toErrorResponse(failure: unknown): unknown {
  if (!(failure instanceof ModelFailure)) return failure;
  const { code, message } = failure;
  if (code === "takes-no-images") return invalidRequest("messages", message);
  return new ErrorResponse(502, code === "agent-failed" ? "agent_failed" : "agent_sign_in_required", message);
}
