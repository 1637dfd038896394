import { setTimeout as delay } from "node:timers/promises";
import { SymposiumError } from "../base/symposium-error.js";
import { type Holder, LockFolder } from "./lock-folder.js";

export interface FileLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for others; 15 seconds unless told, which is long for the change of a file. */
  readonly waitMs?: number;
  /** Called once when somebody else holds the lock. */
  readonly onWait?: () => void;
}

const defaultWaitMs = 15_000;
const beatMs = 15_000;
const firstPauseMs = 4;
const longestPauseMs = 100;

/**
 * The one lock of this product: keeps everybody else, in this process and in others, away from a file (or whatever else a
 * path stands for) until it is disposed of. A process that is killed or crashes holds nothing any more.
 */
export class FileLock implements AsyncDisposable {
  readonly #beat: NodeJS.Timeout;

  private constructor(
    private readonly folder: LockFolder,
    private readonly number: number,
  ) {
    this.#beat = setInterval(() => void folder.beat(number), beatMs);
    this.#beat.unref();
  }

  /** Waits until nobody else has it. Rejects with `locked` when that takes too long, and when `signal` is aborted. */
  static async take(file: string, options: FileLockOptions = {}): Promise<FileLock> {
    const { signal, waitMs = defaultWaitMs, onWait } = options;
    const folder = new LockFolder(lockFolderOf(file));
    const start = performance.now();
    let hasWaited = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      signal?.throwIfAborted();
      const attempt = await folder.attempt();
      if (attempt !== "again" && "number" in attempt) return new FileLock(folder, attempt.number);
      if (attempt !== "again") {
        if (performance.now() - start >= waitMs) throw locked(file, folder, attempt.holder);
        if (!hasWaited) onWait?.();
        hasWaited = true;
      }
      await delay(pauseMs * (0.5 + Math.random()), undefined, signal && { signal }).catch(() => undefined);
    }
  }

  /** Undefined when somebody else has it. */
  static async tryTake(file: string): Promise<FileLock | undefined> {
    try {
      return await FileLock.take(file, { waitMs: 0 });
    } catch (error) {
      if (error instanceof SymposiumError && error.code === "locked") return undefined;
      throw error;
    }
  }

  /** Whether it is ours still: one that did not live for minutes, as on a disk of another machine, may have lost it. */
  isHeld(): Promise<boolean> {
    return this.folder.isOurs(this.number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat);
    await this.folder.release(this.number);
  }
}

/** Where the claims to a file are. */
export function lockFolderOf(file: string): string {
  return `${file}.lock`;
}

function locked(file: string, folder: LockFolder, holder: Holder): SymposiumError {
  const who = holder.pid === undefined ? "Another process" : `Another process (pid ${holder.pid})`;
  return new SymposiumError(
    "locked",
    `${who} is changing ${file}.`,
    `Try again; if nothing else runs, delete ${folder.path}.`,
  );
}
