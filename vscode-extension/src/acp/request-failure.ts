import type { RpcError } from "@symposium-dev/core";

/** Thrown by an ability to answer a request with exactly this error. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";

  constructor(readonly error: RpcError) {
    super(error.message);
  }
}
