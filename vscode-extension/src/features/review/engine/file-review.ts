import { type Hunk, hunksBetween } from "./hunks.js";
import { splitLines } from "./lines.js";
import { rebase } from "./rebase.js";

/** The text of a file, or null where there is no file. */
export type FileText = string | null;

/** How many earlier texts are remembered, so that the editor's own undo brings their changes back for review. */
const maxRemembered = 50;

/** Larger texts are kept or undone as a whole. In characters. */
export const maxReviewedChars = 4_000_000;

/**
 * What an agent changed in one file and nobody has answered yet. The baseline is the text without those changes: it
 * moves when a change is kept, and follows what the user edits elsewhere in the file. Knows no editor and no disk: the
 * owner tells it every new text and writes what `undo` returns.
 */
export class FileReview {
  #baseline: FileText;
  #current: FileText;
  #hunks: readonly Hunk[] | undefined;
  readonly #remembered = new Map<string, FileText>();

  constructor(baseline: FileText, current: FileText = baseline) {
    this.#baseline = baseline;
    this.#current = current;
  }

  get baseline(): FileText {
    return this.#baseline;
  }

  get current(): FileText {
    return this.#current;
  }

  get isReviewed(): boolean {
    return this.#baseline === this.#current;
  }

  get state(): "created" | "modified" | "deleted" {
    if (this.#baseline === null) return "created";
    return this.#current === null ? "deleted" : "modified";
  }

  /** The changes in file order. A created, deleted or very large file is one hunk. */
  get hunks(): readonly Hunk[] {
    this.#hunks ??= this.isReviewed ? [] : hunksBetween(linesOf(this.#baseline), linesOf(this.#current));
    return this.#hunks;
  }

  /** The agent wrote the file: what differs from the baseline is for review. */
  agentChanged(text: FileText): void {
    this.#remember();
    this.#set(this.#baseline, text);
  }

  /** The user, or a tool of the user's, changed the file: outside the agent's changes that is nothing to review. */
  userChanged(text: FileText): void {
    if (text === this.#current) return;
    const earlier = text === null ? undefined : this.#remembered.get(text);
    if (earlier !== undefined) {
      this.#remember();
      this.#set(earlier, text);
      return;
    }
    this.#remember();
    if (text === null || this.#current === null || this.#baseline === null || isLarge(text)) {
      // No lines to carry over. Of a file that the agent made, everything stays for review.
      this.#set(this.isReviewed ? text : this.#baseline, text);
      return;
    }
    this.#set(rebase(splitLines(this.#baseline), splitLines(this.#current), splitLines(text)).join(""), text);
  }

  /** Takes one change into the baseline. False where there is no such change any more. */
  keep(hunkId: string): boolean {
    const hunk = this.#find(hunkId);
    if (!hunk) return false;
    if (this.#baseline === null || this.#current === null) {
      this.keepAll();
      return true;
    }
    const lines = linesOf(this.#baseline);
    lines.splice(hunk.baseStart, hunk.baseEnd - hunk.baseStart, ...hunk.added);
    this.#set(lines.join(""), this.#current);
    return true;
  }

  keepAll(): void {
    this.#set(this.#current, this.#current);
  }

  /** The text without one change, which is the file's text from now on; undefined where the change is gone. */
  undo(hunkId: string): FileText | undefined {
    const hunk = this.#find(hunkId);
    if (!hunk) return undefined;
    if (this.#baseline === null || this.#current === null) return this.undoAll();
    this.#remember();
    const lines = linesOf(this.#current);
    lines.splice(hunk.start, hunk.end - hunk.start, ...hunk.removed);
    this.#set(this.#baseline, lines.join(""));
    return this.#current;
  }

  /** The text without any of the changes, which is the file's text from now on. */
  undoAll(): FileText {
    this.#remember();
    this.#set(this.#baseline, this.#baseline);
    return this.#current;
  }

  /** Lines added and removed by all changes. */
  get counts(): { readonly added: number; readonly removed: number } {
    let added = 0;
    let removed = 0;
    for (const hunk of this.hunks) {
      added += hunk.added.length;
      removed += hunk.removed.length;
    }
    return { added, removed };
  }

  #find(hunkId: string): Hunk | undefined {
    return this.hunks.find(({ id }) => id === hunkId);
  }

  #set(baseline: FileText, current: FileText): void {
    this.#baseline = baseline;
    this.#current = current;
    this.#hunks = undefined;
  }

  #remember(): void {
    if (this.#current === null || isLarge(this.#current)) return;
    this.#remembered.delete(this.#current);
    this.#remembered.set(this.#current, this.#baseline);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}

/** A text that is too large to compare by lines counts as one line. */
function linesOf(text: FileText): string[] {
  if (text === null || text === "") return [];
  return isLarge(text) ? [text] : splitLines(text);
}

function isLarge(text: string): boolean {
  return text.length > maxReviewedChars;
}
