import type { CargoCommand, CargoExit, CargoLimits } from "../../cargo/cargo.js";

/** What the cargo tools need of the operating system. */
export interface CargoServices {
  /** The absolute path of the folder `path`, which starts from `base` when it is relative; undefined when there is none. */
  folder(base: string, path: string): Promise<string | undefined>;
  /**
   * Runs cargo in a process group of its own, without input. Resolves, and never rejects, once cargo and all that it
   * started are gone and `output` has had everything they wrote.
   */
  run(command: CargoCommand, limits: CargoLimits): Promise<CargoExit>;
  /** A new, empty log. */
  createLog(): Promise<RunLog>;
}

/** The readable output of one run, kept for paging. Disposing removes it. */
export interface RunLog extends AsyncDisposable {
  append(text: string): void;
  /** At most `limit` bytes from byte `offset` on, cut at whole characters, and at whole lines where that is possible. */
  read(offset: number, limit: number): Promise<LogPage>;
}

export interface LogPage {
  readonly text: string;
  /** Bytes; where the page really starts. */
  readonly start: number;
  /** Bytes; where the next page starts. */
  readonly end: number;
  /** Bytes; of the whole log. */
  readonly size: number;
}
