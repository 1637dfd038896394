import type { Exit } from "../../../protocol/index.js";

/** Whether a command ended otherwise than with 0. */
export function hasFailed(exit: Exit | undefined): boolean {
  return exit !== undefined && (exit.signal !== null || (exit.code ?? 0) !== 0);
}

/** How a command ended, in words; empty where nothing is known of it. */
export function exitText({ code, signal }: Exit): string {
  if (signal !== null) return `ended by ${signal}`;
  return code === null ? "" : `exit code ${code}`;
}
