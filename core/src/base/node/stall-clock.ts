interface StallClockOptions {
  readonly timeoutMs: number;
  /** A number that changes with every progress; undefined while no progress is expected. */
  progress(): number | undefined;
  /** Called once, when progress was expected for `ms` milliseconds, at least the timeout, and none came. */
  stalled(ms: number): void;
}

const ticksPerTimeout = 4;

/**
 * Notices that progress fails to come. It counts ticks of its own, so that the time in which the computer sleeps is
 * not taken for a stall. It does not keep the process alive.
 */
export class StallClock implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #last: number | undefined;
  #idleTicks = 0;

  constructor(private readonly options: StallClockOptions) {
    this.#timer = setInterval(() => this.#tick(), options.timeoutMs / ticksPerTimeout).unref();
  }

  /** Counts from zero again. */
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
