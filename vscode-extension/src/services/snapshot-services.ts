import { join } from "node:path";
import { type ExtensionContext, window } from "vscode";
import type { Logger } from "../features/log/logger.js";
import type { SettingsSource } from "../features/settings/settings-source.js";
import { Snapshots } from "../features/snapshots/snapshots.js";

export function snapshotsOf(context: ExtensionContext, source: SettingsSource, logger: Logger): Snapshots {
  return new Snapshots({
    stores: join(context.globalStorageUri.fsPath, "snapshots"),
    script: join(context.extensionPath, "dist", "snapshot-worker.cjs"),
    isWanted: () => source.settings.snapshots,
    included: () => source.settings.snapshotIgnoredFiles,
    onProblem: (reason) => {
      logger.warn("snapshots", "a snapshot has a problem", { reason });
      void window.showWarningMessage(reason);
    },
  });
}
