/** Why an agent gave no answer: it failed, wants its user to sign in, or takes no images where the client insists on them. */
export type ModelFailureCode = "agent-failed" | "sign-in-required" | "takes-no-images";

/** An answer that does not come. Each codec words it once, in the errors of its own protocol. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";

  /** `message` names what failed and, where there is one, the remedy. */
  constructor(
    readonly code: ModelFailureCode,
    message: string,
  ) {
    super(message);
  }
}
