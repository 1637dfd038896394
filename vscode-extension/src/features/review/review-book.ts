import {
  type AttributeChange,
  AttributeReview,
  attributesId,
  type FileAttributes,
  isSameAttributes,
  type SeenAttributeChange,
} from "./hunks/file-attributes.js";
import { FileReview, type FileText, type Undo } from "./hunks/file-review.js";
import { parseOpaque } from "./hunks/opaque-text.js";

export interface ReviewedFile {
  readonly path: string;
  readonly tabIds: ReadonlySet<string>;
  readonly review: FileReview;
  readonly attributes?: AttributeReview | undefined;
}

interface BookedFile extends ReviewedFile {
  readonly tabIds: Set<string>;
  attributes?: AttributeReview | undefined;
}

/**
 * Returns whether no change of a file waits for an answer. Attributes don't count for missing files and links, and byte order marks don't
 * count for binary files.
 */
function isAnswered({ review, attributes }: ReviewedFile): boolean {
  if (!review.isReviewed) return false;
  if (!attributes || attributes.isReviewed || review.current === null) return true;
  const opaque = parseOpaque(review.current);
  return opaque?.kind === "link" || (opaque !== undefined && attributes.baseline.mode === attributes.current.mode);
}

/**
 * Combines attributes from snapshots with already known attributes. Returns undefined if there are no earlier attributes to compare with.
 */
function changeOf(
  { attributes, review }: BookedFile,
  { before, after, changedAtMs }: SeenAttributeChange,
): AttributeChange | undefined {
  const known = attributes?.current;
  const markBefore = before?.hasMark ?? known?.hasMark ?? after?.hasMark ?? false;
  // A new file has no earlier attributes; a recreated file has the attributes from before its deletion.
  const comesBack = before === undefined && review.baseline !== null;
  const was = before ? { mode: before.mode, hasMark: markBefore } : comesBack ? known : undefined;
  if (!was) return undefined;
  return { before: was, after: after ? { mode: after.mode, hasMark: after.hasMark ?? was.hasMark } : was, changedAtMs };
}

export interface StoredReview {
  readonly path: string;
  readonly tabIds: readonly string[];
  readonly baseline: FileText;
  readonly current: FileText;
  readonly written?: FileText | undefined;
  readonly attributes?: AttributeChange | undefined;
}

/**
 * Maximum number of files. If there are more, files without open changes are dropped, starting with the file that has been unchanged the
 * longest.
 */
const maxKnownFiles = 500;

export class ReviewBook {
  readonly #entries = new Map<string, BookedFile>();
  /** Files without open changes, the longest unchanged first. */
  readonly #answered = new Set<string>();
  onChange: (path: string) => void = () => undefined;

  files(tabId?: string): readonly ReviewedFile[] {
    const all = [...this.#entries.values()].filter((entry) => !isAnswered(entry));
    return tabId === undefined ? all : all.filter(({ tabIds }) => tabIds.has(tabId));
  }

  paths(): string[] {
    return [...this.#entries.keys()];
  }

  isOpen(path: string): boolean {
    const entry = this.#entries.get(path);
    return entry !== undefined && !isAnswered(entry);
  }

  find(path: string): ReviewedFile | undefined {
    return this.#entries.get(path);
  }

  /** Returns a file's last reported text; undefined if no text was reported. */
  current(path: string): FileText | undefined {
    return this.#entries.get(path)?.review.current;
  }

  knows(path: string, text: FileText): boolean {
    return this.#entries.get(path)?.review.knows(text) ?? false;
  }

  /** Records that an agent changed `before` to `after`. A file under review keeps its older baseline. */
  agentChanged(tabId: string, path: string, before: FileText, after: FileText): void {
    let entry = this.#entries.get(path);
    if (!entry) {
      if (before === after) return;
      entry = { path, tabIds: new Set(), review: new FileReview(before) };
      this.#entries.set(path, entry);
    } else if (before !== null || entry.review.current !== after || entry.review.isReviewed) {
      // If the text differs from the last known text, the user changed it.
      entry.review.userChanged(before);
    }
    // Otherwise the agent reports a recreated file again, and nobody deleted it in between. Tabs that made only answered changes aren't
    // authors of the new change.
    if (isAnswered(entry)) entry.tabIds.clear();
    entry.tabIds.delete(tabId);
    entry.tabIds.add(tabId);
    entry.review.agentChanged(after);
    this.#settle(entry);
  }

  /** Records an attribute change by an agent, including a created or deleted file. `text` is the file's content. */
  attributesChanged(tabId: string, path: string, text: FileText, seen: SeenAttributeChange): void {
    const entry: BookedFile = this.#entries.get(path) ?? { path, tabIds: new Set(), review: new FileReview(text) };
    const change = changeOf(entry, seen);
    if (!change) return;
    if (isSameAttributes(change.before, change.after)) {
      // The stored attributes are restored together with the content of the deleted or binary file.
      if (this.isOpen(path) && entry.attributes?.isReviewed !== false)
        entry.attributes = new AttributeReview(change.before);
      return;
    }
    entry.attributes ??= new AttributeReview(change.before);
    const wasAnswered = isAnswered(entry);
    if (!entry.attributes.changed(change)) return;
    if (wasAnswered) entry.tabIds.clear();
    entry.tabIds.delete(tabId);
    entry.tabIds.add(tabId);
    this.#settle(entry);
  }

  userChanged(path: string, text: FileText): void {
    const entry = this.#entries.get(path);
    if (!entry || entry.review.current === text) return;
    entry.review.userChanged(text);
    this.#settle(entry);
  }

  unknownChanged(path: string, text: FileText): void {
    const entry = this.#entries.get(path);
    if (!entry || entry.review.current === text) return;
    entry.review.unknownChanged(text);
    this.#settle(entry);
  }

  /** Keeps one change of a file or all changes. Returns false if the change doesn't exist. */
  keep(path: string, hunkId?: string): boolean {
    const entry = this.#entries.get(path);
    if (!entry) return false;
    const isOfAttributes = hunkId === attributesId && entry.attributes?.isReviewed === false;
    const isKept = hunkId === undefined || isOfAttributes || entry.review.keep(hunkId);
    if (hunkId === undefined) entry.review.keepAll();
    if (hunkId === undefined || isOfAttributes) entry.attributes?.keep();
    this.#settle(entry);
    return isKept;
  }

  /** Undoes one change of a file or all changes, but only in the book. The caller must write the text or call `takeBack`. */
  undo(path: string, hunkId?: string, withOthers = false): Undo | undefined {
    const entry = this.#entries.get(path);
    if (!entry) return undefined;
    const { takeBack, ...undo } = entry.review.undo(hunkId, withOthers);
    if (undo.undone > 0) this.#settle(entry);
    return {
      ...undo,
      takeBack: () => {
        takeBack();
        this.#settle(entry);
      },
    };
  }

  /**
   * Compares a file's current attributes with the attributes before the change. If they are equal, the change is no longer under review.
   */
  attributesLearned(path: string, now: FileAttributes, changedAtMs: number | undefined): void {
    const { attributes } = this.#entries.get(path) ?? {};
    const isUndone = attributes?.isReviewed === false && isSameAttributes(attributes.baseline, now);
    if (isUndone) this.attributesUndone(path, changedAtMs);
  }

  attributesUndone(path: string, changedAtMs: number | undefined): void {
    const entry = this.#entries.get(path);
    if (!entry?.attributes) return;
    entry.attributes.undone(changedAtMs);
    this.#settle(entry);
  }

  store(): StoredReview[] {
    return this.files().map(({ path, tabIds, review, attributes }) => ({
      path,
      tabIds: [...tabIds],
      baseline: review.baseline,
      current: review.current,
      ...(review.written === review.current ? {} : { written: review.written }),
      ...(attributes && { attributes: { before: attributes.baseline, after: attributes.current } }),
    }));
  }

  /**
   * Loads a stored file. Attributes differences between the stored text and `now` to the user. If the file is already under review,
   * merges both reviews, for example from two windows.
   */
  restore(stored: StoredReview, now: FileText): void {
    const review = new FileReview(stored.baseline, stored.current, stored.written);
    review.userChanged(now);
    const { before, after } = stored.attributes ?? {};
    const known = this.#entries.get(stored.path);
    const entry: BookedFile = {
      path: stored.path,
      tabIds: new Set([...stored.tabIds, ...(known?.tabIds ?? [])]),
      review: known ? together(known.review, review) : review,
      attributes: known?.attributes ?? (before && new AttributeReview(before, after)),
    };
    if (known?.attributes && stored.attributes) known.attributes.changed(stored.attributes);
    this.#entries.set(stored.path, entry);
    this.#settle(entry);
  }

  /** Removes a closed tab from the authors of each file that has other authors. The tab's changes stay under review. */
  tabClosed(tabId: string): void {
    for (const { tabIds } of this.#entries.values()) if (tabIds.size > 1) tabIds.delete(tabId);
  }

  /** Files without open changes stay in the book, so that the editor's undo can reopen their review. */
  #settle(entry: BookedFile): void {
    this.#entries.delete(entry.path);
    this.#entries.set(entry.path, entry);
    this.#answered.delete(entry.path);
    if (isAnswered(entry)) this.#answered.add(entry.path);
    for (const path of this.#answered) {
      if (this.#entries.size <= maxKnownFiles) break;
      this.#answered.delete(path);
      this.#entries.delete(path);
    }
    this.onChange(entry.path);
  }
}

function together(ours: FileReview, theirs: FileReview): FileReview {
  if (theirs.isReviewed) return ours;
  let both = copyOf(ours);
  both.userChanged(theirs.baseline);
  // Copy the review to drop remembered texts. Otherwise an equal text would be taken for the editor's undo.
  both = copyOf(both);
  both.agentChanged(theirs.written);
  both = copyOf(both);
  both.userChanged(theirs.current);
  return both;
}

function copyOf({ baseline, current, written }: FileReview): FileReview {
  return new FileReview(baseline, current, written);
}
