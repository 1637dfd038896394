import type { ConflictStore, MarkedConflict } from "./conflict-store.js";
import type { FileConflict } from "./merge-plan.js";

type NewConflict = FileConflict & Pick<MarkedConflict, "found" | "foundAt" | "theirFile">;

interface OpenConflictsOptions {
  readonly store: ConflictStore;
  /** Returns whether the user has resolved the conflict by hand. Git may take long to answer. */
  readonly isSolved: (conflict: MarkedConflict) => Promise<boolean>;
  readonly onChanged: () => void;
}

/** Unanswered merge conflicts, stored on every change so that none is lost if the window is killed. */
export class OpenConflicts {
  #open: readonly MarkedConflict[] = [];
  /** Conflicts of an earlier window that are still being checked. */
  #unsure: readonly MarkedConflict[] = [];
  #lastId = 0;
  #isRestored = false;

  constructor(private readonly options: OpenConflictsOptions) {}

  get list(): readonly MarkedConflict[] {
    return this.#open;
  }

  /** Loads the stored conflicts that weren't resolved by hand meanwhile. Rejects if the store can't be read; then nothing is stored. */
  async restore(): Promise<void> {
    const left = await this.options.store.load();
    const isNew = ({ tabId }: { readonly tabId: string }): boolean => !this.#open.some((one) => one.tabId === tabId);
    this.#unsure = left.filter(isNew).map((one) => this.#numbered(one));
    this.#isRestored = true;
    this.#changed();
    const unsolved = await this.#unsolved(this.#unsure);
    // Later merges may have replaced some of these conflicts during the check.
    this.#open = [...unsolved.filter((one) => this.#unsure.includes(one)), ...this.#open];
    this.#unsure = [];
    this.#changed();
  }

  /**
   * Takes over the conflicts of a window that is gone, and empties that window's store once all conflicts are stored here. Returns the new
   * conflicts.
   */
  async adopt(other: ConflictStore): Promise<readonly MarkedConflict[]> {
    if (!this.#isRestored) return [];
    const { store } = this.options;
    const left = await this.#unsolved((await other.load()).map((one) => this.#numbered(one)));
    // A window killed during an earlier adoption may have stored these conflicts without emptying the other store.
    const known = new Set([...this.#unsure, ...this.#open].map(keyOf));
    const fresh = left.filter((one) => !known.has(keyOf(one)));
    this.#open = [...this.#open, ...fresh];
    this.#changed();
    await store.flush();
    if (store.isBehind) return [];
    other.save(() => []);
    await other.flush();
    return fresh;
  }

  mark(tabId: string, name: string, conflicts: readonly NewConflict[]): readonly MarkedConflict[] {
    const isOther = (one: MarkedConflict): boolean => one.tabId !== tabId;
    const marked = conflicts.map((one) => this.#numbered({ ...one, tabId, name }));
    this.#unsure = this.#unsure.filter(isOther);
    this.#open = [...this.#open.filter(isOther), ...marked];
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

  async #unsolved(conflicts: readonly MarkedConflict[]): Promise<readonly MarkedConflict[]> {
    const open = conflicts.map(async (one) => ((await this.options.isSolved(one)) ? [] : [one]));
    return (await Promise.all(open)).flat();
  }

  #changed(): void {
    if (this.#isRestored) this.options.store.save(() => [...this.#unsure, ...this.#open]);
    this.options.onChanged();
  }
}

function keyOf({ tabId, path, theirFile, start, ours, theirs, found }: MarkedConflict): string {
  return JSON.stringify([tabId, path, theirFile, start, ours, theirs, found]);
}
