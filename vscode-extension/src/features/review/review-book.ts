import { FileReview, type FileText, type Undo } from "./engine/file-review.js";

/** One file with changes that wait for an answer. */
interface ReviewedFile {
  /** Absolute path. */
  readonly path: string;
  /** The tabs whose agents changed it. */
  readonly tabIds: ReadonlySet<string>;
  readonly review: FileReview;
}

interface Entry extends ReviewedFile {
  readonly tabIds: Set<string>;
}

/** What is stored of a book: enough to go on after a restart. */
export interface StoredReview {
  readonly path: string;
  readonly tabIds: readonly string[];
  readonly baseline: FileText;
  readonly current: FileText;
  /** What the agent wrote, where that is another text than the current one. */
  readonly written?: FileText | undefined;
}

/** Beyond so many files, those without changes are forgotten, the longest unchanged first. */
const maxKnownFiles = 500;

/** All files that agents changed and users have not answered for. Knows no editor and no disk. */
export class ReviewBook {
  readonly #entries = new Map<string, Entry>();
  /** Hears of every file whose review began, changed or ended. */
  onChange: (path: string) => void = () => undefined;

  /** Files with changes, the longest unchanged first, of one tab or of all. */
  files(tabId?: string): readonly ReviewedFile[] {
    const all = [...this.#entries.values()].filter(({ review }) => !review.isReviewed);
    return tabId === undefined ? all : all.filter(({ tabIds }) => tabIds.has(tabId));
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
    } else {
      // What happened between the last text we know and this change was the user's.
      entry.review.userChanged(before);
    }
    entry.tabIds.add(tabId);
    entry.review.agentChanged(after);
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
    const isKept = hunkId === undefined || entry.review.keep(hunkId);
    if (hunkId === undefined) entry.review.keepAll();
    this.#settle(entry);
    return isKept;
  }

  /** Undoes one change of a file, or all. The owner of the book writes the text, or takes the undo back. */
  undo(path: string, hunkId?: string): Undo | undefined {
    const entry = this.#entries.get(path);
    if (!entry) return undefined;
    const { takeBack, ...undo } = entry.review.undo(hunkId);
    if (undo.undone > 0) this.#settle(entry);
    return {
      ...undo,
      takeBack: () => {
        takeBack();
        this.#settle(entry);
      },
    };
  }

  store(): StoredReview[] {
    return this.files().map(({ path, tabIds, review }) => ({
      path,
      tabIds: [...tabIds],
      baseline: review.baseline,
      current: review.current,
      ...(review.written === review.current ? {} : { written: review.written }),
    }));
  }

  /** Takes a stored file up again; `now` is its text today, so what the user did in between stays the user's. */
  restore(stored: StoredReview, now: FileText): void {
    const entry: Entry = {
      path: stored.path,
      tabIds: new Set(stored.tabIds),
      review: new FileReview(stored.baseline, stored.current, stored.written),
    };
    this.#entries.set(stored.path, entry);
    entry.review.userChanged(now);
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
    for (const [path, { review }] of this.#entries) {
      if (this.#entries.size <= maxKnownFiles) break;
      if (review.isReviewed) this.#entries.delete(path);
    }
    this.onChange(entry.path);
  }
}
