interface StallClockOptions {
  readonly timeoutMs: number;
  /** Counter that changes with each progress; undefined while no progress is expected. */
  progress(): number | undefined;
  /** Called once after `ms` milliseconds (at least the timeout) without expected progress. */
  stalled(ms: number): void;
}

const ticksPerTimeout = 4;

/** Detects stalls. Counts its own ticks, so that computer sleep isn't taken for a stall. Doesn't prevent the process from exiting. */
export class StallClock implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #last: number | undefined;
  #idleTicks = 0;

  constructor(private readonly options: StallClockOptions) {
    this.#timer = setInterval(() => this.#tick(), options.timeoutMs / ticksPerTimeout).unref();
  }

  restart(): void {
    this.#last = undefined;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const progress = this.options.progress();
    this.#idleTicks = progress === undefined || progress !== this.#last ? 0 : this.#idleTicks + 1;
    this.#last = progress;
    if (this.#idleTicks !== ticksPerTimeout) return;
    this[Symbol.dispose]();
    this.options.stalled(this.options.timeoutMs);
  }
}
