export interface FileAttributes {
  readonly mode: number;
  readonly hasMark: boolean;
}

export function isSameAttributes(one: FileAttributes, other: FileAttributes): boolean {
  return one.mode === other.mode && one.hasMark === other.hasMark;
}

export interface AttributeChange {
  readonly before: FileAttributes;
  readonly after: FileAttributes;
  readonly changedAtMs?: number | undefined;
}

/** Attributes from snapshots. For a binary file, snapshots can't tell whether it has a byte order mark. */
interface SeenAttributes {
  readonly mode: number;
  readonly hasMark?: boolean | undefined;
}

/** A file's attributes before and after a change; undefined for a missing file or a link. */
export interface SeenAttributeChange {
  readonly before?: SeenAttributes | undefined;
  readonly after?: SeenAttributes | undefined;
  readonly changedAtMs?: number | undefined;
}

/** Used as the hunk id of an attribute change, so that users answer it like a hunk. */
export const attributesId = "attributes";

export class AttributeReview {
  #baseline: FileAttributes;
  #current: FileAttributes;
  #changedAtMs: number | undefined;

  constructor(baseline: FileAttributes, current = baseline) {
    this.#baseline = baseline;
    this.#current = current;
  }

  get baseline(): FileAttributes {
    return this.#baseline;
  }

  get current(): FileAttributes {
    return this.#current;
  }

  get isReviewed(): boolean {
    return isSameAttributes(this.#baseline, this.#current);
  }

  /** Records a change; an unanswered change keeps its older baseline. Returns false if the same change was reported before. */
  changed({ before, after, changedAtMs }: AttributeChange): boolean {
    if (changedAtMs !== undefined && changedAtMs === this.#changedAtMs) return false;
    if (this.isReviewed) this.#baseline = before;
    this.#current = after;
    this.#changedAtMs = changedAtMs;
    return true;
  }

  keep(): void {
    this.#baseline = this.#current;
  }

  /**
   * Records that a change was undone. `changedAtMs` is the file's change time after the undo, so that a later scan doesn't report the undo
   * as a new change.
   */
  undone(changedAtMs: number | undefined): void {
    this.#current = this.#baseline;
    this.#changedAtMs = changedAtMs;
  }
}
