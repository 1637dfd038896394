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

/** One file with changes that wait for an answer. */
export interface ReviewedFile {
  /** Absolute path. */
  readonly path: string;
  /** The tabs whose agents changed it. */
  readonly tabIds: ReadonlySet<string>;
  readonly review: FileReview;
  /** What was changed besides its text, if anything was. */
  readonly attributes?: AttributeReview | undefined;
}

interface Entry extends ReviewedFile {
  readonly tabIds: Set<string>;
  attributes?: AttributeReview | undefined;
}

/** Whether nothing of a file waits for an answer. What is gone, or a link, has no attributes; what is no text, no byte order mark. */
function isAnswered({ review, attributes }: ReviewedFile): boolean {
  if (!review.isReviewed) return false;
  if (!attributes || attributes.isReviewed || review.current === null) return true;
  const opaque = parseOpaque(review.current);
  return opaque?.kind === "link" || (opaque !== undefined && attributes.baseline.mode === attributes.current.mode);
}

/** What snapshots saw, with what is known of the file. Undefined where nothing is to be compared with. */
function changeOf(
  { attributes, review }: Entry,
  { before, after, changedAtMs }: SeenAttributeChange,
): AttributeChange | undefined {
  const known = attributes?.current;
  const markBefore = before?.hasMark ?? known?.hasMark ?? after?.hasMark ?? false;
  // A new file has nothing to go back to; one that comes back has what it went with.
  const comesBack = before === undefined && review.baseline !== null;
  const was = before ? { mode: before.mode, hasMark: markBefore } : comesBack ? known : undefined;
  if (!was) return undefined;
  return { before: was, after: after ? { mode: after.mode, hasMark: after.hasMark ?? was.hasMark } : was, changedAtMs };
}

/** What is stored of a book: enough to go on after a restart. */
export interface StoredReview {
  readonly path: string;
  readonly tabIds: readonly string[];
  readonly baseline: FileText;
  readonly current: FileText;
  /** What the agent wrote, where that is another text than the current one. */
  readonly written?: FileText | undefined;
  /** What it had besides its text, and what it has. */
  readonly attributes?: AttributeChange | undefined;
}

/** Beyond so many files, those without changes are forgotten, the longest unchanged first. */
const maxKnownFiles = 500;

/** All files that agents changed and users have not answered for. Knows no editor and no disk. */
export class ReviewBook {
  readonly #entries = new Map<string, Entry>();
  /** The paths of those without changes, the longest unchanged first. */
  readonly #answered = new Set<string>();
  /** Hears of every file whose review began, changed or ended. */
  onChange: (path: string) => void = () => undefined;

  /** Files with changes, the longest unchanged first, of one tab or of all. */
  files(tabId?: string): readonly ReviewedFile[] {
    const all = [...this.#entries.values()].filter((entry) => !isAnswered(entry));
    return tabId === undefined ? all : all.filter(({ tabIds }) => tabIds.has(tabId));
  }

  /** All files that it knows, also those without changes. */
  paths(): string[] {
    return [...this.#entries.keys()];
  }

  /** Whether something of a file waits for an answer. */
  isOpen(path: string): boolean {
    const entry = this.#entries.get(path);
    return entry !== undefined && !isAnswered(entry);
  }

  find(path: string): ReviewedFile | undefined {
    return this.#entries.get(path);
  }

  /** The text of a file by all that was told of it; undefined where nothing was. */
  current(path: string): FileText | undefined {
    return this.#entries.get(path)?.review.current;
  }

  /** Whether a file is known to have, or to have had lately, this text. */
  knows(path: string, text: FileText): boolean {
    return this.#entries.get(path)?.review.knows(text) ?? false;
  }

  /** An agent turned `before` into `after`. Of a file that is under review already, the older baseline stays. */
  agentChanged(tabId: string, path: string, before: FileText, after: FileText): void {
    let entry = this.#entries.get(path);
    if (!entry) {
      if (before === after) return;
      entry = { path, tabIds: new Set(), review: new FileReview(before) };
      this.#entries.set(path, entry);
    } else if (before !== null || entry.review.current !== after || entry.review.isReviewed) {
      // What happened between the last text we know and this change was the user's.
      entry.review.userChanged(before);
    }
    // Else it is told once more that the file came back: nobody removed it in between.
    // Writers of answered changes did not make the new ones.
    if (isAnswered(entry)) entry.tabIds.clear();
    // The latest is the last.
    entry.tabIds.delete(tabId);
    entry.tabIds.add(tabId);
    entry.review.agentChanged(after);
    this.#settle(entry);
  }

  /** An agent changed what a file has besides its text, which is `text`; or the file came, or went, with it. */
  attributesChanged(tabId: string, path: string, text: FileText, seen: SeenAttributeChange): void {
    const entry: Entry = this.#entries.get(path) ?? { path, tabIds: new Set(), review: new FileReview(text) };
    const change = changeOf(entry, seen);
    if (!change) return;
    if (isSameAttributes(change.before, change.after)) {
      // Where the file is gone, or no text, what it had comes back with its text.
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

  /** Whether an agent or somebody else changed the file cannot be told. */
  unknownChanged(path: string, text: FileText): void {
    const entry = this.#entries.get(path);
    if (!entry || entry.review.current === text) return;
    entry.review.unknownChanged(text);
    this.#settle(entry);
  }

  /** Keeps one change of a file, or all. False where there is nothing of that name. */
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

  /** Undoes one change of a file, or all. The owner of the book writes the text, or takes the undo back. */
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

  /** A file has these attributes: where they are what they were before the change, nothing of it waits for an answer. */
  attributesLearned(path: string, now: FileAttributes, changedAtMs: number | undefined): void {
    const { attributes } = this.#entries.get(path) ?? {};
    const isUndone = attributes?.isReviewed === false && isSameAttributes(attributes.baseline, now);
    if (isUndone) this.attributesUndone(path, changedAtMs);
  }

  /** The attributes of a file are again what they were. */
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
   * Takes a stored file up again; `now` is its text today, so what the user did in between stays the user's. Where the
   * file is under review here already, as that of another window, the changes of both are.
   */
  restore(stored: StoredReview, now: FileText): void {
    const review = new FileReview(stored.baseline, stored.current, stored.written);
    review.userChanged(now);
    const { before, after } = stored.attributes ?? {};
    const known = this.#entries.get(stored.path);
    const entry: Entry = {
      path: stored.path,
      tabIds: new Set([...stored.tabIds, ...(known?.tabIds ?? [])]),
      review: known ? together(known.review, review) : review,
      attributes: known?.attributes ?? (before && new AttributeReview(before, after)),
    };
    if (known?.attributes && stored.attributes) known.attributes.changed(stored.attributes);
    this.#entries.set(stored.path, entry);
    this.#settle(entry);
  }

  /** The tab is gone for good: what it left is no longer listed under it, but stays for review. */
  tabClosed(tabId: string): void {
    for (const { tabIds } of this.#entries.values()) if (tabIds.size > 1) tabIds.delete(tabId);
  }

  /** A file without changes stays known: should the editor's undo bring a change back, its review goes on. */
  #settle(entry: Entry): void {
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

/** What two windows have under review of a file that has one text. */
function together(ours: FileReview, theirs: FileReview): FileReview {
  if (theirs.isReviewed) return ours;
  let both = copyOf(ours);
  both.userChanged(theirs.baseline);
  // Without what it remembers: a text that comes back is no undo of the editor's here.
  both = copyOf(both);
  both.agentChanged(theirs.written);
  both = copyOf(both);
  both.userChanged(theirs.current);
  return both;
}

function copyOf({ baseline, current, written }: FileReview): FileReview {
  return new FileReview(baseline, current, written);
}
