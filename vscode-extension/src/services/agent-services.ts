import { statSync } from "node:fs";
import type { Command, Logger as CoreLogger, StartProcess } from "@symposium-dev/core";
import { hostedProcess, startProcess, type Watchdog } from "@symposium-dev/core/node";
import { type ExtensionContext, Uri } from "vscode";
import type { AbilityTable } from "../acp/client-abilities.js";
import { findSymposiumCommand, inheritedEnvironment } from "../acp/find-symposium-command.js";
import { messageLimit } from "../acp/user-config.js";
import { agentStarter, WindowAgents } from "../acp/running-agent.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import type { SettingsSource } from "../features/settings/settings-source.js";

/** Returns the current command line of `symposium-acp-agent`. Throws if the command isn't found. */
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

/**
 * Returns a function that starts the command's processes. The processes end with their owner, or through the watchdog if this process is
 * killed.
 */
export function commandStarter(logger: CoreLogger, watchdog: Watchdog): StartProcess {
  return (...component) => {
    const start = startProcess({
      logger,
      watchdog,
      env: inheritedEnvironment(process.env),
      // If the limit changes, the new value applies to the next process.
      maxLineBytes: messageLimit(),
      // Wait, because the command first ends its own child processes.
      graceMs: 2_500,
    });
    return start(...component);
  };
}

/** Returns all agents of this window. Their processes end with the window, or through the watchdog if this process is killed. */
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
  const startHosted = (self: Command): StartProcess =>
    hostedProcess({ self, version, env: inheritedEnvironment(process.env), maxLineBytes: messageLimit() });
  return new WindowAgents(agentStarter({ command, abilities, clientInfo, logger, startProcess: start, startHosted }));
}
