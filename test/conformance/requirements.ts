import type { Requirement } from "./requirement.js";
import { cancellation } from "./requirements/cancellation.js";
import { clientCalls } from "./requirements/client-calls.js";
import { initialization } from "./requirements/initialization.js";
import { promptTurns } from "./requirements/prompt-turns.js";
import { rawJson } from "./requirements/raw-json.js";
import { sessions } from "./requirements/sessions.js";
import { updates } from "./requirements/updates.js";
import { wire } from "./requirements/wire.js";

/** Everything that holds at the agent and through every chain, in the order in which one connection is checked. */
export const requirements: readonly Requirement[] = [
  ...initialization,
  ...sessions,
  ...promptTurns,
  ...updates,
  ...clientCalls,
  ...cancellation,
  ...wire,
  ...rawJson,
];
