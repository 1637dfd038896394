/** The disk below an editor, and time. */
export interface EditorDisk {
  /** The text of the file at an absolute path; undefined where there is none that can be read as text. */
  readText(path: string): Promise<string | undefined>;
  wait(ms: number): Promise<void>;
}
