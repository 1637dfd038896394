/** Reasons that the guard logs for hosts it denies without a rule. The user can allow such a host with a rule. */
export const refusals = {
  byUser: "refused by the user",
  nobodyThere: "nobody was there to ask",
  tooMany: "too many questions",
  unwanted: "telemetry or updates",
} as const;
