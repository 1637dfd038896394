import { join } from "node:path";
import { FileLock } from "@symposium-dev/core/node";

/**
 * What this window has claimed of a store that several windows may have open: a tab belongs to one window at a time.
 * Claims of a window that is gone are free.
 */
export class WindowClaim implements AsyncDisposable {
  readonly #locks = new Map<string, Promise<FileLock | undefined>>();

  /** Claims a folder. Returns false where another window that lives has it; rejects where nobody can claim anything. */
  async claim(folder: string): Promise<boolean> {
    const known = this.#locks.get(folder);
    const lock = known ?? FileLock.tryTake(join(folder, "owner"));
    this.#locks.set(folder, lock);
    try {
      if ((await lock) !== undefined) return true;
    } catch (error) {
      this.#forget(folder, lock);
      throw error;
    }
    this.#forget(folder, lock);
    return false;
  }

  async release(folder: string): Promise<void> {
    const lock = this.#locks.get(folder);
    this.#locks.delete(folder);
    await (await lock?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  /** The window closes: all of its claims are free. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#locks.keys()].map((folder) => this.release(folder)));
  }

  #forget(folder: string, lock: Promise<FileLock | undefined>): void {
    if (this.#locks.get(folder) === lock) this.#locks.delete(folder);
  }
}
