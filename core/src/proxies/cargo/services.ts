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

/** One invocation of cargo. */
export interface CargoCommand {
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** On top of the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
}

export interface CargoLimits {
  /** Ends the whole tree when aborted. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Stdout and stderr, decoded, in the order in which they were written; cut anywhere. */
  readonly output: (text: string) => void;
  /** Gets stderr, where the two are wanted apart. */
  readonly errors?: (text: string) => void;
}

export interface CargoExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it never started, for example `ENOENT`; absent when it did. */
  readonly startError?: string;
  /** Why we ended it; absent when it ended by itself. */
  readonly endedBy?: "cancel" | "timeout" | "output-limit";
  readonly durationMs: number;
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
