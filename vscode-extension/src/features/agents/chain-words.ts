import type { Settings } from "../settings/settings-table.js";

/** What the settings say of every chain, as texts and words of the command line. */
export interface ChainWords {
  /** The extensions that take part, in their order. */
  readonly proxies: readonly string[];
  readonly logging: readonly string[];
}

export function chainWords({ extensions, agentLogLevel, logLevel, traceDir }: Settings): ChainWords {
  return {
    proxies: extensions
      .filter(({ isEnabled }) => isEnabled)
      .map(({ id, spec, needsInstallation }) => (needsInstallation ? id : spec)),
    logging: [
      ...["--log", agentLogLevel === "" ? logLevel : agentLogLevel],
      ...(traceDir === "" ? [] : ["--trace-dir", traceDir]),
    ],
  };
}
