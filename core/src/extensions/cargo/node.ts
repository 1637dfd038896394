import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Confined } from "../../base/node/confinement.js";
import type { Watchdog } from "../../base/node/orphan-watchdog.js";
import { hasCargoWorkspace } from "../../base/cargo/node/has-workspace.js";
import { runCargo } from "../../base/cargo/node/run-cargo.js";
import { createRunLog } from "../runs/node/run-log.js";
import type { CargoServices } from "./services.js";

interface CargoServicesOptions {
  /** Ends the started processes if this process is killed. */
  readonly watchdog: Watchdog;
  /** Sandbox for cargo; default none. */
  readonly confined?: Confined | undefined;
  /** Environment that cargo inherits; default: this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Milliseconds between SIGTERM and SIGKILL; default 2 s. */
  readonly terminationMs?: number;
  /** Maximum output; a run that writes more is ended. Default 64 MiB. */
  readonly maxOutputBytes?: number;
}

const defaultTerminationMs = 2_000;
const defaultMaxOutputBytes = 64 * 1024 * 1024;

export function cargoServices(options: CargoServicesOptions): CargoServices {
  const {
    watchdog,
    confined,
    env = process.env,
    terminationMs = defaultTerminationMs,
    maxOutputBytes = defaultMaxOutputBytes,
  } = options;
  return {
    hasWorkspace: hasCargoWorkspace,
    folder: async (base, path) => {
      const folder = resolve(base, path);
      return (await isFolder(folder)) ? folder : undefined;
    },
    run: (command, limits) => runCargo(command, limits, { watchdog, confined, env, terminationMs, maxOutputBytes }),
    createLog: createRunLog,
  };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
