import { join, sep } from "node:path";
import { SymposiumError } from "@symposium-dev/core";
import { FileLock } from "@symposium-dev/core/node";
import { isLeft, reviewFiles } from "./review-file-paths.js";

/** Handles a dead window's review file. `hasOurTabs` is true if that window's tabs are restored in this window. */
type TakeLeft = (file: string, hasOurTabs: boolean) => Promise<void>;

/** Maximum number of separate folders for reviews. Further windows share the first folder. */
const maxPlaces = 9;
/** Maximum time in milliseconds for a closing window to release its folder. */
const closingMs = 6_000;

/**
 * Folder for a window's review, locked while the window lives. VS Code gives a second window of a workspace its own storage, named with
 * `-1` at the end; windows without a folder, and some remote windows, share a storage.
 */
export class ReviewPlace implements AsyncDisposable {
  private constructor(
    private readonly storage: string,
    readonly file: string,
    private readonly lock: FileLock | undefined,
  ) {}

  /** Whether the folder is locked. False if locking isn't possible or there are more windows than folders. */
  get isLocked(): boolean {
    return this.lock !== undefined;
  }

  static async claim(storage: string): Promise<ReviewPlace> {
    for (let number = 0; number < maxPlaces; number++) {
      const file = join(storage, number === 0 ? "" : `window-${number}`, "review.json");
      const lock = await FileLock.tryTake(file).catch(() => "none" as const);
      // If locking fails, writing will fail as well, so continue without a lock.
      if (lock) return new ReviewPlace(storage, file, lock === "none" ? undefined : lock);
    }
    return new ReviewPlace(storage, join(storage, "review.json"), undefined);
  }

  /**
   * Calls `take` for each review file left by another window of the workspace that is gone or closes within seconds. Locks the file during
   * the call.
   */
  async eachLeft(take: TakeLeft, signal: AbortSignal): Promise<void> {
    const files = (await reviewFiles(this.storage)).filter((file) => file !== this.file);
    await Promise.all(files.map((file) => this.#takeLeft(file, take, signal)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lock?.[Symbol.asyncDispose]();
  }

  async #takeLeft(file: string, take: TakeLeft, signal: AbortSignal): Promise<void> {
    if (!(await isLeft(file))) return;
    try {
      await using _lock = await FileLock.take(file, { waitMs: closingMs, signal });
      if (!signal.aborted) await take(file, file.startsWith(`${this.storage}${sep}`));
    } catch (error) {
      const isHeld = error instanceof SymposiumError && error.code === "locked";
      if (!isHeld && !signal.aborted) throw error;
    }
  }
}
