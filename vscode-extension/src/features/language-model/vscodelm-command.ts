import type { Command } from "@symposium-dev/core";
import type { Settings } from "../settings/settings-table.js";

/** The process that serves models: the command's `vscodelm` with the extensions and the logging of the settings. */
export function vscodelmCommand(command: Command, settings: Settings, folder: string): Command {
  const { extensions, agentLogLevel, logLevel, traceDir } = settings;
  const proxies = extensions
    .filter(({ isEnabled }) => isEnabled)
    .flatMap(({ id, spec, needsInstallation }) => ["--proxy", needsInstallation ? id : spec]);
  const log = ["--log", agentLogLevel === "" ? logLevel : agentLogLevel];
  const trace = traceDir === "" ? [] : ["--trace-dir", traceDir];
  return { ...command, args: [...command.args, "vscodelm", ...proxies, ...log, ...trace], cwd: folder };
}
