import type { CargoCommand } from "../../base/cargo/unusable-cargo.js";
import type { RunExit, RunLimits } from "../../base/runs/run.js";
import type { RunLog } from "../runs/run-store.js";

export interface CargoServices {
  /** Whether the folder, one of its parents or a nearby subfolder contains a Rust package. */
  hasWorkspace(folder: string): boolean;
  /** Resolves `path` against `base` to an absolute path; undefined if it isn't a folder. */
  folder(base: string, path: string): Promise<string | undefined>;
  /**
   * Runs cargo in its own process group, without input. Resolves when cargo and its children are gone and `output` has received everything.
   * Never rejects.
   */
  run(command: CargoCommand, limits: RunLimits): Promise<RunExit>;
  createLog(): Promise<RunLog>;
}
