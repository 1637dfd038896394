import type { CargoCommand } from "../../base/cargo/cargo.js";
import type { RunExit, RunLimits } from "../../base/runs/run.js";
import type { RunLog } from "../runs/run-store.js";

/** What the cargo tools need of the operating system. */
export interface CargoServices {
  /** Whether there is a package of Rust in a folder, around it or a little below it. */
  hasWorkspace(folder: string): boolean;
  /** The absolute path of the folder `path`, which starts from `base` when it is relative; undefined when there is none. */
  folder(base: string, path: string): Promise<string | undefined>;
  /**
   * Runs cargo in a process group of its own, without input. Resolves, and never rejects, once cargo and all that it
   * started are gone and `output` has had everything they wrote.
   */
  run(command: CargoCommand, limits: RunLimits): Promise<RunExit>;
  /** A new, empty log. */
  createLog(): Promise<RunLog>;
}
