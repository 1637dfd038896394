/** Reasons in the guard's log for hosts denied without a rule. A rule of the user can allow such a host. */
export const refusals = {
  byUser: "refused by the user",
  nobodyThere: "nobody was there to ask",
  tooMany: "too many questions",
  unwanted: "telemetry or updates",
} as const;
