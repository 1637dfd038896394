import { rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { atomicWrite } from "@symposium-dev/core/node";

type Content = string | Uint8Array | undefined;

/** Maximum fraction of time, as 1/N, for writing the file. Each change rewrites the whole file. */
const rest = 4;
const maxRestMs = 5_000;

/** File with the latest version of some state. Writes are sequential, and a burst of changes is written once. */
export class StateFile<State> {
  #next: (() => State) | undefined;
  #failed: (() => State) | undefined;
  #writing: Promise<void> | undefined;
  #restsUntilMs = 0;
  /** Number of callers that wait in `flush`. While there are any, there is no pause between writes. */
  #flushes = 0;
  #resting = new AbortController();

  /** `onProblem` receives write errors. They are only reported. If `format` returns undefined, there is nothing to store. */
  constructor(
    protected readonly file: string,
    protected readonly onProblem: (error: unknown) => void,
    private readonly format: (state: State) => Content | Promise<Content>,
  ) {}

  /** True if the last write failed. */
  get isBehind(): boolean {
    return this.#failed !== undefined;
  }

  /** Schedules a write. `state` is called when the file is written. */
  save(state: () => State): void {
    this.#next = state;
    this.#writing ??= this.#write();
  }

  /** Resolves when everything is written. Retries a failed write once. */
  async flush(): Promise<void> {
    this.#flushes++;
    this.#resting.abort();
    try {
      if (this.#failed) this.save(this.#next ?? this.#failed);
      while (this.#writing) await this.#writing;
    } finally {
      if (--this.#flushes === 0) this.#resting = new AbortController();
    }
  }

  async #write(): Promise<void> {
    // Wait one event loop turn, so that all changes of one message are written together.
    await new Promise(setImmediate);
    while (this.#next) {
      await this.#rest();
      const next = this.#next;
      this.#next = undefined;
      this.#failed = undefined;
      const startedAtMs = Date.now();
      try {
        const content = await this.format(next());
        if (content === undefined) await rm(this.file, { force: true });
        else await atomicWrite(this.file, content);
      } catch (error) {
        this.#failed = next;
        this.onProblem(error);
      }
      this.#restsUntilMs = Date.now() + Math.min((Date.now() - startedAtMs) * (rest - 1), maxRestMs);
    }
    this.#writing = undefined;
  }

  async #rest(): Promise<void> {
    const restMs = this.#restsUntilMs - Date.now();
    const { signal } = this.#resting;
    if (restMs > 0) await wait(restMs, undefined, { ref: false, signal }).catch(() => undefined);
  }
}
