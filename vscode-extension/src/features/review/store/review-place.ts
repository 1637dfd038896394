import { join, sep } from "node:path";
import { SymposiumError } from "@symposium-dev/core";
import { FileLock } from "@symposium-dev/core/node";
import { isLeft, reviewFiles } from "./review-start.js";

/** What works with the review's file of a window that is gone; `hasOurTabs` where its tabs come back in this one. */
type TakeLeft = (file: string, hasOurTabs: boolean) => Promise<void>;

/** More windows at once share the last place. */
const maxPlaces = 9;
/** A window that is closing lets go of its place within so long. */
const closingMs = 6_000;

/**
 * Where a window keeps its review: a folder that is its own while it lives. VS Code gives a second window of the same
 * workspace a storage of its own, whose name ends with `-1`; windows without a folder, and some remote ones, share one.
 */
export class ReviewPlace implements AsyncDisposable {
  private constructor(
    private readonly storage: string,
    /** The file of the review, which other files stand beside. */
    readonly file: string,
    private readonly lock: FileLock | undefined,
  ) {}

  /** Nobody else has the place. False where nothing can be locked, and where more windows are open than there are places. */
  get isLocked(): boolean {
    return this.lock !== undefined;
  }

  /** Claims the first place in a window's storage that no other window has. */
  static async claim(storage: string): Promise<ReviewPlace> {
    for (let number = 0; number < maxPlaces; number++) {
      const file = join(storage, number === 0 ? "" : `window-${number}`, "review.json");
      const lock = await FileLock.tryTake(file).catch(() => "none" as const);
      // Where nothing can be locked, nothing is stored either.
      if (lock) return new ReviewPlace(storage, file, lock === "none" ? undefined : lock);
    }
    return new ReviewPlace(storage, join(storage, "review.json"), undefined);
  }

  /**
   * Hands over the review's file of each other window of the workspace that is gone, or goes in the next seconds, and left
   * something. While `take` works with it, nobody else does.
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
