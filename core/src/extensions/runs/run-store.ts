import { SymposiumError } from "../../base/symposium-error.js";

/** Readable output of a run, for showing page by page. Disposing deletes the output. */
export interface RunLog extends AsyncDisposable {
  append(text: string): void;
  /**
   * Reads at most `limit` bytes from byte `offset`. The page starts and ends with complete lines if possible, otherwise with complete
   * characters.
   */
  read(offset: number, limit: number): Promise<LogPage>;
}

export interface LogPage {
  readonly text: string;
  /** Offset in bytes at which the page actually starts. */
  readonly start: number;
  /** Offset in bytes at which the next page starts. */
  readonly end: number;
  /** Size of the log in bytes. */
  readonly size: number;
}

export interface StoredRun {
  readonly handle: string;
  readonly log: RunLog;
  /** Functions that return the full texts of the report's numbered items, in order. */
  details: readonly (() => string)[];
}

/** Maximum number of stored runs; the oldest are dropped. */
const maxRuns = 20;
const maxDetailLength = 16_000;

interface RunStoreOptions {
  /** Prefix of the runs' handles, for example `c` in `c3`. */
  readonly prefix: string;
  /** Singular noun for the report's numbered items, for example `diagnostic`. */
  readonly item: string;
  /** Name of the tool that shows the complete output. */
  readonly outputTool: string;
}

/** Stores the latest runs by handle. Disposing deletes their logs. */
export class RunStore implements AsyncDisposable {
  readonly #runs = new Map<string, StoredRun>();
  #next = 1;

  constructor(private readonly options: RunStoreOptions) {}

  async add(log: RunLog): Promise<StoredRun> {
    const run: StoredRun = { handle: `${this.options.prefix}${this.#next++}`, log, details: [] };
    this.#runs.set(run.handle, run);
    const [oldest] = this.#runs.values();
    if (this.#runs.size > maxRuns && oldest) {
      this.#runs.delete(oldest.handle);
      await oldest.log[Symbol.asyncDispose]();
    }
    return run;
  }

  /**
   * Returns the full text of a run's item with this number, counted from 1. Throws `invalid-arguments` if the run or item doesn't exist.
   */
  detail(handle: string, index: number): string {
    const { details } = this.#get(handle);
    const { item, outputTool } = this.options;
    const detail = details[index - 1];
    if (!detail) {
      throw new SymposiumError(
        "invalid-arguments",
        `index: ${handle} has no ${item} ${index}.`,
        details.length === 0 ? `It has none; ${outputTool} shows its output.` : `It has 1 to ${details.length}.`,
      );
    }
    const text = detail();
    if (text.length <= maxDetailLength) return text;
    return `${text.slice(0, maxDetailLength)}\n… ${text.length - maxDetailLength} characters left out (${outputTool} ${handle})`;
  }

  /** Returns a page of output with a heading. A negative offset is relative to the end. */
  async page(handle: string, offset: number, limit: number): Promise<string> {
    const { log } = this.#get(handle);
    const whole = await log.read(0, 0);
    const from = offset < 0 ? Math.max(0, whole.size + offset) : offset;
    const { text, start, end, size } = await log.read(from, limit);
    if (size === 0) return `${handle}: no output.`;
    if (start >= size) return `${handle}: its output ends at byte ${size}, before offset ${from}.`;
    const next = end < size ? `; next offset ${end}` : ", the end";
    return `${handle}: bytes ${start} to ${end} of ${size}${next}\n${text}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runs = [...this.#runs.values()];
    this.#runs.clear();
    await Promise.all(runs.map(({ log }) => log[Symbol.asyncDispose]()));
  }

  #get(handle: string): StoredRun {
    const run = this.#runs.get(handle.replace(/^\[(.*)\]$/, "$1"));
    if (run) return run;
    const known = [...this.#runs.keys()].join(", ");
    throw new SymposiumError(
      "invalid-arguments",
      `handle: "${handle}" isn't stored.`,
      known === "" ? "No run is stored yet." : `Kept: ${known}.`,
    );
  }
}
