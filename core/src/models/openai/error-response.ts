import { ModelFailure } from "../agent-connection.js";

export class ErrorResponse extends Error {
  override readonly name = "ErrorResponse";

  /** `status` is the HTTP status, `code` is for programs, and `parameter` is the request's invalid member. */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly parameter?: string,
  ) {
    super(message);
  }

  get body(): unknown {
    const type = this.status >= 500 ? "server_error" : "invalid_request_error";
    return { error: { message: this.message, type, param: this.parameter ?? null, code: this.code } };
  }
}

export function invalidRequest(parameter: string, message: string): ErrorResponse {
  return new ErrorResponse(400, "invalid_value", `${parameter}: ${message}`, parameter);
}

/** Converts a `ModelFailure` to an `ErrorResponse`; returns other values unmodified. */
export function toErrorResponse(failure: unknown): unknown {
  if (!(failure instanceof ModelFailure)) return failure;
  const { code, message } = failure;
  if (code === "takes-no-images") return invalidRequest("messages", message);
  return new ErrorResponse(502, code === "agent-failed" ? "agent_failed" : "agent_sign_in_required", message);
}
