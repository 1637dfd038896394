import { statSync } from "node:fs";
import type { Command, Logger as CoreLogger, StartProcess } from "@symposium-dev/core";
import { startProcess, type Watchdog } from "@symposium-dev/core/node";
import { type ExtensionContext, Uri } from "vscode";
import type { AbilityTable } from "../acp/abilities.js";
import { findSymposiumCommand, inheritedEnvironment } from "../acp/find-symposium-command.js";
import { messageLimit } from "../acp/message-limit.js";
import { agentStarter, WindowAgents } from "../acp/running-agent.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import type { SettingsSource } from "../features/settings/settings-source.js";

/** How `symposium-acp-agent` starts now, for chains and for its other subcommands. Throws where it is not found. */
export function commandFinder(context: ExtensionContext, settings: SettingsSource): () => Command {
  return () =>
    findSymposiumCommand({
      configuredPath: settings.settings.acpAgentPath,
      bundledFolders: [Uri.joinPath(context.extensionUri, "bin").fsPath],
      env: process.env,
      platform: process.platform,
      arch: process.arch,
      execPath: process.execPath,
      isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
    });
}

/** Starts the command's processes: they end with their owner, and by the watchdog when we are killed. */
export function commandStarter(logger: CoreLogger, watchdog: Watchdog): StartProcess {
  return (...component) => {
    const start = startProcess({
      logger,
      watchdog,
      env: inheritedEnvironment(process.env),
      // A changed limit applies to the next start.
      maxLineBytes: messageLimit(),
      // It ends its own children first.
      graceMs: 2_500,
    });
    return start(...component);
  };
}

/** All agents of this window. Their processes end with it, and by the watchdog when we are killed. */
export function windowAgents(options: {
  readonly command: () => Command;
  readonly abilities: AbilityTable;
  readonly watchdog: Watchdog;
  readonly version: string;
  readonly logger: Logger;
}): WindowAgents {
  const { command, abilities, watchdog, version } = options;
  const logger = coreLogger(options.logger, "agent");
  const clientInfo = { name: "symposium-vscode", title: "Symposium for VS Code", version };
  const start = commandStarter(logger, watchdog);
  return new WindowAgents(agentStarter({ command, abilities, clientInfo, logger, startProcess: start }));
}
