import { SymposiumError } from "../../../base/symposium-error.js";

/** A crate that cannot be found, resolved or read: `message` names the crate, `hint` says what to try. */
export function crateFault(message: string, hint: string): SymposiumError {
  return new SymposiumError("crate-unavailable", message, hint);
}
