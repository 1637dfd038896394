import type { ConflictStore, MarkedConflict } from "./conflict-store.js";
import type { FileConflict } from "./merge-plan.js";

type NewConflict = FileConflict & Pick<MarkedConflict, "found" | "theirFile">;

/** Unanswered merge conflicts, stored on every change so that none is lost if the window is killed. */
export class OpenConflicts {
  #open: readonly MarkedConflict[] = [];
  #lastId = 0;
  #isRestored = false;

  constructor(
    private readonly store: ConflictStore,
    private readonly onChanged: () => void,
  ) {}

  get list(): readonly MarkedConflict[] {
    return this.#open;
  }

  /** Loads the stored conflicts. Rejects if the store can't be read; then nothing is stored. */
  async restore(): Promise<void> {
    const left = await this.store.load();
    const isNew = ({ tabId }: { readonly tabId: string }): boolean => !this.#open.some((one) => one.tabId === tabId);
    this.#open = [...left.filter(isNew).map((one) => this.#numbered(one)), ...this.#open];
    this.#isRestored = true;
    this.#changed();
  }

  /**
   * Takes over the conflicts of a window that is gone, and empties that window's store once all conflicts are stored here. Returns the new
   * conflicts.
   */
  async adopt(other: ConflictStore): Promise<readonly MarkedConflict[]> {
    if (!this.#isRestored) return [];
    const left = (await other.load()).map((one) => this.#numbered(one));
    // A window killed during an earlier adoption may have stored these conflicts without emptying the other store.
    const known = new Set(this.#open.map(keyOf));
    const fresh = left.filter((one) => !known.has(keyOf(one)));
    this.#open = [...this.#open, ...fresh];
    this.#changed();
    await this.store.flush();
    if (this.store.isBehind) return [];
    other.save(() => []);
    await other.flush();
    return fresh;
  }

  mark(tabId: string, name: string, conflicts: readonly NewConflict[]): readonly MarkedConflict[] {
    const marked = conflicts.map((one) => this.#numbered({ ...one, tabId, name }));
    this.#open = [...this.#open.filter((one) => one.tabId !== tabId), ...marked];
    this.#changed();
    return marked;
  }

  remove(id: unknown): void {
    this.#open = this.#open.filter((one) => one.id !== id);
    this.#changed();
  }

  #numbered(conflict: Omit<MarkedConflict, "id">): MarkedConflict {
    return { ...conflict, id: ++this.#lastId };
  }

  #changed(): void {
    if (this.#isRestored) this.store.save(() => this.#open);
    this.onChanged();
  }
}

function keyOf({ tabId, path, theirFile, start, ours, theirs, found }: MarkedConflict): string {
  return JSON.stringify([tabId, path, theirFile, start, ours, theirs, found]);
}
