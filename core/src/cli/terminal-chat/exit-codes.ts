/** What the chat's exit code says. */
export const exitCodes = {
  /** The agent ended its turn by itself, or the user left. */
  success: 0,
  /** The agent, or the chain, failed. */
  failure: 1,
  /** The agent stopped without finishing: a refusal or a limit. */
  incomplete: 2,
  /** The agent wants a login, and nobody could be asked or did it. */
  authRequired: 3,
  /** The user cancelled: 128 + SIGINT. */
  cancelled: 130,
} as const;

/** The exit code of a turn that ended with `stopReason`. */
export function exitCodeOf(stopReason: string): number {
  if (stopReason === "end_turn") return exitCodes.success;
  return stopReason === "cancelled" ? exitCodes.cancelled : exitCodes.incomplete;
}
