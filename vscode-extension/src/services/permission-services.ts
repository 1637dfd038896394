import { messageOf } from "@symposium-dev/core";
import { LastingAnswers } from "@symposium-dev/core/node";
import { commands, type ExtensionContext, window, workspace } from "vscode";
import type { AgentChoices } from "../features/agents/agent-choices.js";
import type { CommandLine } from "../features/agents/command-line.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import type { Logger } from "../features/log/logger.js";
import { GuardNames } from "../features/permissions/guard-names.js";
import { LastingPermissions } from "../features/permissions/lasting-permissions.js";
import { MemoryMigration } from "../features/permissions/memory-migration.js";

export interface LastingPermissionsOptions {
  readonly context: ExtensionContext;
  readonly commandLine: CommandLine;
  readonly choices: Pick<AgentChoices, "listKnown">;
  readonly logger: Logger;
}

/** Answers that outlive their session, in guard.jsonc; those that earlier versions kept in the editor are moved there. */
export function lastingPermissions({ context, commandLine, choices, logger }: LastingPermissionsOptions): {
  readonly lasting: LastingPermissions;
  readonly migration: MemoryMigration;
} {
  const answers = new LastingAnswers();
  const names = new GuardNames({
    commandLine,
    agents: () => choices.listKnown(),
    failed: (error) =>
      logger.warn("permissions", "what guard.jsonc calls an agent is not known", { reason: messageOf(error) }),
  });
  const lasting = new LastingPermissions({
    answers,
    nameOf: (agentId) => names.of(agentId),
    say: (message) => void window.showWarningMessage(message),
  });
  const migration = new MemoryMigration({
    workspace: context.workspaceState,
    global: context.globalState,
    folders: workspaceFolders,
    nameOf: (agentId) => names.ofNoOther(agentId),
    save: (rules) => answers.save(rules),
    moved: (count, unmoved) => void tellMoved(count, unmoved),
    failed: (reason) =>
      void window.showWarningMessage(
        `The answers that you had Symposium remember are kept, and do not hold until they can be moved into guard.jsonc: ${reason}`,
      ),
  });
  // Agents of the user's own are named by a command, which does not run before.
  if (workspace.isTrusted) void migration.run();
  else context.subscriptions.push(workspace.onDidGrantWorkspaceTrust(() => void migration.run()));
  return { lasting, migration };
}

async function tellMoved(count: number, unmoved: number): Promise<void> {
  const [guard, permissions] = ["Open Guard", "Show What Was Not Moved"];
  const asked = unmoved === 0 ? "" : ` No rule says ${unmoved} of them: you are asked about these again.`;
  const said = `${count} of your remembered answers are rules of your guard.jsonc now, for every editor.${asked}`;
  const buttons = [...(count > 0 ? [guard] : []), ...(unmoved > 0 ? [permissions] : [])];
  const answer = await window.showInformationMessage(said, ...buttons);
  if (answer === guard) await commands.executeCommand("symposium.showGuard");
  if (answer === permissions) await commands.executeCommand("symposium.showPermissions");
}
