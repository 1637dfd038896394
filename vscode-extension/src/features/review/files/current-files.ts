import type { FileAttributes } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";

/** A file as it is at this moment: the words that the editor has not saved yet, else what is on disk. */
export interface FileTruth {
  /** Null where there is no file; undefined where it is no text that can be reviewed. */
  readonly text: FileText | undefined;
  /** The editor has unsaved words, and the disk has others than they began from: there are two truths. */
  readonly isTorn: boolean;
  /** The text is the editor's, and its user has not saved it. */
  readonly isUnsaved?: boolean;
  /** When the disk's text was written; undefined where the text is the editor's. */
  readonly writtenAtMs?: number | undefined;
  /** What a file on disk has besides its text, where that is known. */
  readonly attributes?: FileAttributes;
  /** When its text or these were last changed. */
  readonly changedAtMs?: number;
}

/** The one place that reads what is true of a file, and the one that writes it on that ground. */
export interface TrueFiles {
  truth(path: string): Promise<FileTruth>;
  /** Whether the content that this stands for is there to be written. */
  canWrite(text: FileText): Promise<boolean>;
  /**
   * Gives the file this text, or removes it for null, if it still is `expected`. False where it is something else by
   * now or the editor refuses: then nothing was written. A document with unsaved words gets the text and stays unsaved.
   * A text that had a byte order mark gets it again. With `attributes`, which are under review
   * apart, a file that is there keeps its own, and one that comes back gets these.
   */
  write(path: string, text: FileText, expected: FileText, attributes?: FileAttributes): Promise<boolean>;
  /**
   * Gives a file other attributes, if it has the expected ones, or the wanted ones by now. False where it has others, or the
   * editor has unsaved words.
   */
  setAttributes(path: string, wanted: FileAttributes, expected: FileAttributes): Promise<boolean>;
}
