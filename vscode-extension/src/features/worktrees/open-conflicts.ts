import type { ConflictStore, MarkedConflict } from "./conflict-store.js";
import type { FileConflict } from "./merge-plan.js";

type NewConflict = FileConflict & Pick<MarkedConflict, "found" | "foundAt" | "theirFile">;

interface OpenConflictsOptions {
  readonly store: ConflictStore;
  /** Whether the user has answered it by hand meanwhile, which git may take long to say. */
  readonly isSolved: (conflict: MarkedConflict) => Promise<boolean>;
  /** There are others now. */
  readonly onChanged: () => void;
}

/** The conflicts of merges that nobody has answered, as they are stored: nothing of them is lost when the window is killed. */
export class OpenConflicts {
  #open: readonly MarkedConflict[] = [];
  /** Left by the window before, and not looked at yet. */
  #unsure: readonly MarkedConflict[] = [];
  #lastId = 0;
  #isRestored = false;

  constructor(private readonly options: OpenConflictsOptions) {}

  get list(): readonly MarkedConflict[] {
    return this.#open;
  }

  /**
   * Has what was not answered when the window was last open, and has not been solved by hand since. Rejects where that cannot be
   * read: then nothing is stored.
   */
  async restore(): Promise<void> {
    const left = await this.options.store.load();
    const isNew = ({ tabId }: { readonly tabId: string }): boolean => !this.#open.some((one) => one.tabId === tabId);
    this.#unsure = left.filter(isNew).map((one) => this.#numbered(one));
    this.#isRestored = true;
    this.#changed();
    const unsolved = await this.#unsolved(this.#unsure);
    // Merges may have taken the place of some meanwhile.
    this.#open = [...unsolved.filter((one) => this.#unsure.includes(one)), ...this.#open];
    this.#unsure = [];
    this.#changed();
  }

  /**
   * Takes over what another window, which is gone, left in its store: it is emptied once all of it is stored here. Returns what is
   * new here.
   */
  async adopt(other: ConflictStore): Promise<readonly MarkedConflict[]> {
    if (!this.#isRestored) return [];
    const { store } = this.options;
    const left = await this.#unsolved((await other.load()).map((one) => this.#numbered(one)));
    // A window that was killed in between had stored them here, and not emptied that store.
    const known = new Set([...this.#unsure, ...this.#open].map(keyOf));
    const fresh = left.filter((one) => !known.has(keyOf(one)));
    this.#open = [...this.#open, ...fresh];
    this.#changed();
    await store.flush();
    if (store.isBehind) return [];
    other.save([]);
    await other.flush();
    return fresh;
  }

  /** The conflicts of a merge take the place of those that an earlier one of the same tab left. Returns them with their ids. */
  mark(tabId: string, name: string, conflicts: readonly NewConflict[]): readonly MarkedConflict[] {
    const isOther = (one: MarkedConflict): boolean => one.tabId !== tabId;
    const marked = conflicts.map((one) => this.#numbered({ ...one, tabId, name }));
    this.#unsure = this.#unsure.filter(isOther);
    this.#open = [...this.#open.filter(isOther), ...marked];
    this.#changed();
    return marked;
  }

  /** It is answered. */
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
    if (this.#isRestored) this.options.store.save([...this.#unsure, ...this.#open]);
    this.options.onChanged();
  }
}

/** The same for what is one conflict, read from whichever store. */
function keyOf({ tabId, path, theirFile, start, ours, theirs, found }: MarkedConflict): string {
  return JSON.stringify([tabId, path, theirFile, start, ours, theirs, found]);
}
