const maxRestarts = 4;
const windowMs = 3 * 60_000;

/** Lets a server that ends by itself be started again, at most four times in three minutes. */
export class RestartPolicy {
  #ends: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** The server has ended, or did not start. */
  noteEnd(): void {
    this.#ends.push(this.now());
  }

  /** Whether it may be started now. */
  get isAllowed(): boolean {
    const since = this.now() - windowMs;
    this.#ends = this.#ends.filter((at) => at > since);
    return this.#ends.length <= maxRestarts;
  }

  /** How long until it may be started, in milliseconds; 0 when it may be now. */
  get waitMs(): number {
    if (this.isAllowed) return 0;
    const decisive = this.#ends[this.#ends.length - maxRestarts - 1] ?? 0;
    return decisive + windowMs - this.now();
  }

  /** Forgets what was, for a server that the user has just installed or configured. */
  reset(): void {
    this.#ends = [];
  }
}
