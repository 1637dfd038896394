import type { FileAttributes } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";

export interface FileTruth {
  /** Current text of the file; null for no file, undefined for content that can't be reviewed as text. */
  readonly text: FileText | undefined;
  /** True if the document has unsaved changes and the disk changed independently. */
  readonly isTorn: boolean;
  /** True if `text` is unsaved text in the editor. */
  readonly isUnsaved?: boolean;
  /** Change on disk since the document was last saved; set if {@link isTorn}. */
  readonly onDisk?: { readonly before: FileText; readonly after: FileText; readonly writtenAtMs?: number | undefined };
  /** Time of the last write on disk; undefined if the text is from the editor. */
  readonly writtenAtMs?: number | undefined;
  readonly attributes?: FileAttributes;
  readonly changedAtMs?: number;
}

/** Reads files' current content and writes only if that content is still as expected. */
export interface TrueFiles {
  truth(path: string): Promise<FileTruth>;
  /** Returns whether the content that `text` stands for is stored and can be written. */
  canWrite(text: FileText): Promise<boolean>;
  /**
   * Writes the text if the file's content is still `expected`; null deletes the file. Returns false without writing if the file has changed
   * or the editor refuses. Preserves the byte order mark and unsaved state. An existing file keeps its attributes; a recreated file gets
   * `attributes`.
   */
  write(path: string, text: FileText, expected: FileText, attributes?: FileAttributes): Promise<boolean>;
  /**
   * Sets a file's attributes if the current ones are `expected` or already `wanted`. Returns false if they are different or if the editor
   * has unsaved changes.
   */
  setAttributes(path: string, wanted: FileAttributes, expected: FileAttributes): Promise<boolean>;
}
