import { messageOf } from "@symposium-dev/core";
import { LastingAnswers } from "@symposium-dev/core/node";
import { window } from "vscode";
import type { AgentChoices } from "../features/agents/agent-choices.js";
import type { SubcommandRunner } from "../features/agents/subcommand-runner.js";
import type { Logger } from "../features/log/logger.js";
import { GuardNames } from "../features/permissions/agent-ids-in-guard.js";
import { LastingPermissions } from "../features/permissions/lasting-permissions.js";

export interface LastingPermissionsOptions {
  readonly commandLine: SubcommandRunner;
  readonly choices: Pick<AgentChoices, "listKnown">;
  readonly logger: Logger;
}

/** Creates the store of answers that outlive their session, as rules in guard.jsonc. */
export function lastingPermissions({ commandLine, choices, logger }: LastingPermissionsOptions): LastingPermissions {
  const names = new GuardNames({
    commandLine,
    agents: () => choices.listKnown(),
    failed: (error) =>
      logger.warn("permissions", "couldn't determine the agent's name in guard.jsonc", { reason: messageOf(error) }),
  });
  return new LastingPermissions({
    answers: new LastingAnswers(),
    nameOf: (agentId) => names.of(agentId),
    say: (message) => void window.showWarningMessage(message),
  });
}
