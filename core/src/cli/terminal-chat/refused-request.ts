import type { RpcError } from "../../rpc/rpc-error.js";

/** A request of the agent that is answered with an error. Its message is the error's. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";

  constructor(readonly error: RpcError) {
    super(error.message);
  }
}
