/** Why a host was refused, where it was no rule, as the guard's record has it: a rule of the user's opens such a host. */
export const refusals = {
  byUser: "refused by the user",
  nobodyThere: "nobody was there to ask",
  tooMany: "too many questions",
  unwanted: "telemetry or updates",
} as const;
