import { SymposiumError } from "../../../base/symposium-error.js";

/** A crate that cannot be found, resolved or read: `message` names the crate, `hint` says what to try. */
export function crateFault(message: string, hint: string): SymposiumError {
  return new SymposiumError("crate-unavailable", message, hint);
}

/** What to do when cargo's problem is an archive that is not what was published; undefined for other problems. */
export function damagedArchiveHint(problem: string): string | undefined {
  if (!/failed to unpack|failed to verify the checksum/.test(problem)) return undefined;
  return "Remove the damaged archive from the registry/cache folder of cargo's home, so that cargo downloads it again.";
}
