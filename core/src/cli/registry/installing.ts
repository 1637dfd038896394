import type { OnProgress } from "../../node/install/install-progress.js";
import { Installer } from "../../node/install/installer.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { openEnvironment } from "../environment.js";
import { untilSignal } from "../until-signal.js";
import { installRoot, packageNode } from "./install-place.js";
import { warn } from "./output.js";
import { ProgressDisplay } from "./progress-display.js";

/** What a subcommand installs with. */
export interface Installing {
  readonly installer: Installer;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Draws on stderr. */
  readonly onProgress: OnProgress;
  /** Writes a line on stderr, beside the progress. */
  readonly report: (line: string) => void;
}

/** Does `work` with the installer of this user. A signal undoes what it began, and ends the process. */
export async function withInstaller<T>(
  log: string | undefined,
  work: (installing: Installing) => Promise<T>,
): Promise<T> {
  await using environment = await openEnvironment({ log, traceDir: undefined, settings: defaultSettings });
  using display = new ProgressDisplay(process.stderr);
  const installer = new Installer({
    folder: installRoot(),
    logger: environment.logger.child("install"),
    startProcess: environment.chain.startProcess,
    env: process.env,
    node: packageNode(),
  });
  const report = (line: string): void => {
    display.clear();
    warn(line);
  };
  return await untilSignal(
    environment,
    (signal) => work({ installer, signal, onProgress: (progress) => display.show(progress), report }),
    () => report("Cancelled."),
  );
}
