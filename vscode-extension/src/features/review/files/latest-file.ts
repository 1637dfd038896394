import { rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { atomicWrite } from "@symposium-dev/core/node";

/** Undefined for nothing worth a file. */
type Content = string | Uint8Array | undefined;
type ContentOf = () => Content | Promise<Content>;

/** Writing takes no larger part of the time than one in so many: each change writes everything. */
const rest = 4;
const maxRestMs = 5_000;

/** One file of ours that has the latest state of something. Writes follow each other; a burst of changes is written once. */
export class LatestFile {
  #next: ContentOf | undefined;
  /** What was to be written when that failed. */
  #failed: ContentOf | undefined;
  #writing: Promise<void> | undefined;
  #restsUntilMs = 0;
  /** So many wait for the last write. */
  #flushes = 0;
  /** Aborted while somebody waits for the last write. */
  #resting = new AbortController();

  /** `onProblem` hears of a file that cannot be written; everything else goes on without it. */
  constructor(
    private readonly file: string,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  /** What was to be written last could not be. */
  get isBehind(): boolean {
    return this.#failed !== undefined;
  }

  /** Stores what `content` says when it is written, which is soon. */
  save(content: ContentOf): void {
    this.#next = content;
    this.#writing ??= this.#write();
  }

  /** Resolves when everything is written; what could not be is tried once more. */
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
    // A turn of the event loop later: all changes of one message are one write.
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
