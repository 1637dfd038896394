import { SymposiumError } from "../../base/symposium-error.js";

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

/** What is kept of a run. */
export interface StoredRun {
  readonly handle: string;
  readonly log: RunLog;
  /** What the report numbers, each whole, in its order. */
  details: readonly (() => string)[];
}

/** Older runs are forgotten. */
const maxRuns = 20;
const maxDetailLength = 16_000;

interface RunStoreOptions {
  /** What handles begin with, such as `c` in `c3`. */
  readonly prefix: string;
  /** What the report numbers, in the singular, such as `diagnostic`. */
  readonly item: string;
  /** The tool that shows the whole output. */
  readonly outputTool: string;
}

/** Keeps the latest runs by their handle. Disposing removes their logs. */
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

  /** What the report has as number `index`, from 1, whole. Throws `invalid-arguments` when there is none. */
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

  /** A page of a run's output below a line that says which; a negative offset counts from the end. */
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
      `handle: "${handle}" is not kept.`,
      known === "" ? "No run is kept yet." : `Kept: ${known}.`,
    );
  }
}
