/** Why an agent gave no answer: it failed, or it wants its user to sign in. */
export type ModelFailureCode = "agent-failed" | "sign-in-required";

/** An answer that does not come. Each endpoint words it once, in the errors of its own protocol. */
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
