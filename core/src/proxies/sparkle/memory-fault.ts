import { SymposiumError } from "../../base/symposium-error.js";

/** Notes that cannot be kept or read: `message` names the file or value, `hint` says what to do. */
export function memoryFault(message: string, hint: string, cause?: unknown): SymposiumError {
  return new SymposiumError("memory-unavailable", message, hint, cause === undefined ? undefined : { cause });
}
