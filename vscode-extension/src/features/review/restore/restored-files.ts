import * as l10n from "@vscode/l10n";
import type { PlannedRestore, Refusal, ReviewAnswers } from "../review-answers.js";

export interface StoredRestore {
  readonly messageId: string;
  readonly files: readonly PlannedRestore[];
}

/** Appends to a planned file's label whether the restore deletes the file or creates it again. */
export function plannedLabel({ now, text }: PlannedRestore, label: string): string {
  if (text === null) return l10n.t("{0} (deleted)", label);
  return now === null ? l10n.t("{0} (created again)", label) : label;
}

/** Restores files to their state before a prompt, and undoes that restore. Stores the latest restore of each tab until its next turn. */
export class RestoredFiles {
  #restores = new Map<string, StoredRestore>();

  /** `changed` is called when there is new state to store. */
  constructor(
    private readonly answers: ReviewAnswers,
    private readonly changed: () => void,
  ) {}

  promptOf(tabId: string): string | undefined {
    return this.#restores.get(tabId)?.messageId;
  }

  /** Returns the restored files of a tab. */
  pathsOf(tabId: string): readonly string[] {
    return this.#restores.get(tabId)?.files.map(({ path }) => path) ?? [];
  }

  /** Restores the planned files. Skips files that changed since the plan and returns them as refusals. */
  async restore(tabId: string, messageId: string, files: readonly PlannedRestore[]): Promise<Refusal[]> {
    const refusals = await this.answers.restore(tabId, files);
    const restored = files.filter(({ path }) => !refusals.some((refusal) => refusal.path === path));
    if (restored.length > 0) this.#restores.set(tabId, { messageId, files: restored });
    this.changed();
    return refusals;
  }

  /** Undoes the restore. Preserves lines that others changed; files that can't be undone stay listed, so that the user can try again. */
  async undo(tabId: string): Promise<Refusal[]> {
    const restored = this.#restores.get(tabId);
    if (!restored) return [];
    const { messageId, files } = restored;
    const steps = files.map(({ path, now, text }) => [path, [{ before: now, after: text }]] as const);
    const refusals = await this.answers.takeBack(tabId, new Map(steps));
    const left = files.filter(({ path }) => refusals.some((refusal) => refusal.path === path));
    // A turn may have started in the meantime and dropped the restore.
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

  /** Loads stored restores. A restore made in this window is newer than a stored one. */
  load(stored: Readonly<Record<string, StoredRestore>>): void {
    this.#restores = new Map([...Object.entries(stored), ...this.#restores]);
  }

  store(): Record<string, StoredRestore> {
    return Object.fromEntries(this.#restores);
  }
}
