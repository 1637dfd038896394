import type { PlannedRestore, Refusal, ReviewAnswers } from "../review-answers.js";

/** The latest restore of a tab, to be undone. */
export interface StoredRestore {
  readonly messageId: string;
  readonly files: readonly PlannedRestore[];
}

/** Puts files back to what they were before a prompt, and that undone: of each tab the latest, until a turn begins there. */
export class RestoredFiles {
  #restores = new Map<string, StoredRestore>();

  /** `changed` hears when there is something else to store. */
  constructor(
    private readonly answers: ReviewAnswers,
    private readonly changed: () => void,
  ) {}

  /** The prompt of a tab that its files were put back to, as long as that can be undone. */
  promptOf(tabId: string): string | undefined {
    return this.#restores.get(tabId)?.messageId;
  }

  /** What changed since it was planned is left. */
  async restore(tabId: string, messageId: string, files: readonly PlannedRestore[]): Promise<Refusal[]> {
    const refusals = await this.answers.restore(tabId, files);
    const restored = files.filter(({ path }) => !refusals.some((refusal) => refusal.path === path));
    if (restored.length > 0) this.#restores.set(tabId, { messageId, files: restored });
    this.changed();
    return refusals;
  }

  /** Leaves lines that others changed since, and files that cannot be written: for these it can be tried again. */
  async undo(tabId: string): Promise<Refusal[]> {
    const restored = this.#restores.get(tabId);
    if (!restored) return [];
    const { messageId, files } = restored;
    const steps = files.map(({ path, now, text }) => [path, [{ before: now, after: text }]] as const);
    const refusals = await this.answers.takeBack(tabId, new Map(steps));
    const left = files.filter(({ path }) => refusals.some((refusal) => refusal.path === path));
    // A turn may have begun meanwhile.
    if (this.#restores.get(tabId) === restored) {
      if (left.length > 0) this.#restores.set(tabId, { messageId, files: left });
      else this.#restores.delete(tabId);
    }
    this.changed();
    return refusals;
  }

  forget(tabId: string): void {
    this.#restores.delete(tabId);
  }

  /** What was restored since is later than what is stored. */
  load(stored: Readonly<Record<string, StoredRestore>>): void {
    this.#restores = new Map([...Object.entries(stored), ...this.#restores]);
  }

  /** By tab. */
  store(): Record<string, StoredRestore> {
    return Object.fromEntries(this.#restores);
  }
}
