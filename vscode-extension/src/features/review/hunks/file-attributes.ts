/** What a file has besides its text. */
export interface FileAttributes {
  /** Permission bits. */
  readonly mode: number;
  /** Whether it begins with a byte order mark. */
  readonly hasMark: boolean;
}

export function isSameAttributes(one: FileAttributes, other: FileAttributes): boolean {
  return one.mode === other.mode && one.hasMark === other.hasMark;
}

export interface AttributeChange {
  readonly before: FileAttributes;
  readonly after: FileAttributes;
  /** When the file had become so, if that is known. */
  readonly changedAtMs?: number | undefined;
}

/** As snapshots find them: of what is no text, nobody can tell whether it has a byte order mark. */
interface SeenAttributes {
  readonly mode: number;
  readonly hasMark?: boolean | undefined;
}

/** Undefined where there was, or is, no file, or a link. */
export interface SeenAttributeChange {
  readonly before?: SeenAttributes | undefined;
  readonly after?: SeenAttributes | undefined;
  readonly changedAtMs?: number | undefined;
}

/** Stands where the id of a hunk does: the change of a file's attributes is answered like one. */
export const attributesId = "attributes";

/** What was changed in one file besides its text, and nobody has answered yet. */
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

  /** The older baseline stays while it waits for an answer. What was told before, answered or not, is nothing new: false. */
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

  /** `changedAtMs` is when the file had become so: whoever looks at the disk finds the undo, too. */
  undone(changedAtMs: number | undefined): void {
    this.#current = this.#baseline;
    this.#changedAtMs = changedAtMs;
  }
}
