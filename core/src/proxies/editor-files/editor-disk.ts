/** The disk below an editor, and time. */
export interface EditorDisk {
  /** The text of the file at an absolute path; undefined where there is none that can be read as text. */
  readText(path: string): Promise<string | undefined>;
  /** Where a path leads with its links followed; the path itself where nobody knows. */
  realPath?(path: string): Promise<string>;
  wait(ms: number): Promise<void>;
}
