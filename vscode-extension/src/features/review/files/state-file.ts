import { rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { atomicWrite } from "@symposium-dev/core/node";

/** Content to write; undefined deletes the file. */
type Content = string | Uint8Array | undefined;
type ContentOf = () => Content | Promise<Content>;

/** Maximum fraction of time, as 1/N, for writing the file. Each change rewrites the whole file. */
const rest = 4;
const maxRestMs = 5_000;

/** File with the latest version of some state. Writes are sequential, and a burst of changes is written once. */
export class StateFile {
  #next: ContentOf | undefined;
  #failed: ContentOf | undefined;
  #writing: Promise<void> | undefined;
  #restsUntilMs = 0;
  /** Number of callers that wait in `flush`. While there are any, there is no pause between writes. */
  #flushes = 0;
  #resting = new AbortController();

  /** `onProblem` receives write errors. They are only reported. */
  constructor(
    private readonly file: string,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  /** True if the last write failed. */
  get isBehind(): boolean {
    return this.#failed !== undefined;
  }

  /** Schedules a write. `content` is called when the file is written. */
  save(content: ContentOf): void {
    this.#next = content;
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
        const content = await next();
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
