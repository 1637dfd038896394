import type { ChainExtension } from "../settings/extensions-setting.js";
import type { Settings } from "../settings/settings-table.js";

/** What the settings say of every chain, as texts and words of the command line. */
interface ChainWords {
  /** The extensions that take part, in their order. */
  readonly proxies: readonly string[];
  readonly logging: readonly string[];
}

/** The words that vouch for folders, so that the command does not ask a second time what the editor has asked. */
export function trustWords(folders: readonly string[]): readonly string[] {
  return folders.toSorted().flatMap((folder) => ["--trusted-folder", folder]);
}

/** What was installed from a description starts by its id. */
function installedSpec({ id, entry: { options } }: ChainExtension): string {
  return options === undefined ? id : JSON.stringify({ id, options });
}

export function chainWords({ extensions, agentLogLevel, logLevel, traceDir }: Settings): ChainWords {
  return {
    proxies: extensions
      .filter(({ isEnabled }) => isEnabled)
      .map((extension) => (extension.needsInstallation ? installedSpec(extension) : extension.spec)),
    logging: [
      ...["--log", agentLogLevel === "" ? logLevel : agentLogLevel],
      ...(traceDir === "" ? [] : ["--trace-dir", traceDir]),
    ],
  };
}
