/** Why a text or value cannot be used, as a value: parsers return it, and callers decide whether it is an error. */
export interface Fault {
  readonly kind: "problem";
  /** What is wrong and with which value. */
  readonly message: string;
  /** The user's next step. */
  readonly hint?: string;
}

export function fault(message: string, hint?: string): Fault {
  return hint === undefined ? { kind: "problem", message } : { kind: "problem", message, hint };
}
