import { messageOf } from "@symposium-dev/core";
import { LastingAnswers } from "@symposium-dev/core/node";
import { window } from "vscode";
import type { AgentChoices } from "../features/agents/agent-choices.js";
import type { SubcommandRunner } from "../features/agents/subcommand-runner.js";
import type { Logger } from "../features/log/logger.js";
import { GuardNames } from "../features/permissions/agent-ids-in-guard.js";
import { RememberedAnswers } from "../features/permissions/remembered-answers.js";

export interface RememberedAnswersOptions {
  readonly commandLine: SubcommandRunner;
  readonly choices: Pick<AgentChoices, "listKnown">;
  readonly logger: Logger;
}

export function rememberedAnswers({ commandLine, choices, logger }: RememberedAnswersOptions): RememberedAnswers {
  const names = new GuardNames({
    commandLine,
    agents: () => choices.listKnown(),
    failed: (error) =>
      logger.warn("permissions", "couldn't determine the agent's name in guard.jsonc", { reason: messageOf(error) }),
  });
  return new RememberedAnswers({
    guard: new LastingAnswers(),
    nameOf: (agentId) => names.of(agentId),
    say: (message) => void window.showWarningMessage(message),
  });
}
