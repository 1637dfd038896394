import type { Command } from "@symposium-dev/core";
import { chainWords, trustWords } from "../agents/chain-words.js";
import type { Settings } from "../settings/settings-table.js";

/** The process that serves models: the command's `vscodelm` with the extensions and the logging of the settings. */
export function vscodelmCommand(
  command: Command,
  settings: Settings,
  folder: string,
  trusted: readonly string[],
): Command {
  const { proxies, logging } = chainWords(settings);
  const words = ["vscodelm", ...proxies.flatMap((text) => ["--proxy", text]), ...trustWords(trusted), ...logging];
  return { ...command, args: [...command.args, ...words], cwd: folder };
}
