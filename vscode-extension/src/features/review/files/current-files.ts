import type { FileAttributes } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";

export interface FileTruth {
  /** Null for no file; undefined for content that can't be reviewed as text. */
  readonly text: FileText | undefined;
  /** True if the document has unsaved changes and the disk changed independently. */
  readonly isTorn: boolean;
  /** True if `text` is unsaved text in the editor. */
  readonly isUnsaved?: boolean;
  /** Time of the last write on disk; undefined if the text is from the editor. */
  readonly writtenAtMs?: number | undefined;
  readonly attributes?: FileAttributes;
  readonly changedAtMs?: number;
}

/** Reads files' current content and writes only if that content is still as expected. */
export interface TrueFiles {
  truth(path: string): Promise<FileTruth>;
  /** Returns whether the content that `text` represents is available for writing. */
  canWrite(text: FileText): Promise<boolean>;
  /**
   * Writes the text, or deletes the file for null, if the file still is `expected`. Returns false without writing if the file has changed
   * or the editor refuses. Preserves the byte order mark and unsaved state. An existing file keeps its attributes; a recreated file gets
   * `attributes`.
   */
  write(path: string, text: FileText, expected: FileText, attributes?: FileAttributes): Promise<boolean>;
  /**
   * Sets a file's attributes if they are the expected or already the wanted ones. Returns false for other attributes or unsaved changes in
   * the editor.
   */
  setAttributes(path: string, wanted: FileAttributes, expected: FileAttributes): Promise<boolean>;
}
