import { join } from "node:path";
import { FileLock } from "@symposium-dev/core/node";

/**
 * Tabs that this window has claimed in a store shared by several windows, so that each tab belongs to one window. If a window dies, its
 * claims are released.
 */
export class WindowClaim implements AsyncDisposable {
  readonly #locks = new Map<string, Promise<FileLock | undefined>>();

  /** Claims a folder. Returns false if another live window owns it; rejects if claims aren't possible at all. */
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

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#locks.keys()].map((folder) => this.release(folder)));
  }

  #forget(folder: string, lock: Promise<FileLock | undefined>): void {
    if (this.#locks.get(folder) === lock) this.#locks.delete(folder);
  }
}
