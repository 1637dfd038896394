import type { ProcessExit } from "@symposium-dev/core";
import { AgentFailure } from "./agent-failure.js";

/** Why a process that was not told to end is gone. `name` is what it is for people. */
export function exitFailure(name: string, { code, signal, startError, stderrTail }: ProcessExit): AgentFailure {
  const details = stderrTail === "" ? undefined : stderrTail;
  if (startError !== undefined) {
    const hint = "Check symposium.acpAgentPath, or install the extension again.";
    return new AgentFailure("component-start-failed", `${name} could not be started (${startError}).`, hint, details);
  }
  const how = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
  return new AgentFailure("component-exited", `${name} ${how}.`, undefined, details);
}
