/** A file that the editor has open. */
export interface OpenDocument {
  readonly text: string;
  /** It has changes that are not on disk. */
  readonly isDirty: boolean;
  /** Makes `text` its content by an edit that can be undone, and saves. Returns what was saved in the end. */
  replace(text: string): Promise<string>;
}

/** The editor's documents and its idea of encodings. */
export interface OpenDocuments {
  /** The open document of a file, by the path as named or with links followed. */
  find(paths: readonly string[]): OpenDocument | undefined;
  decode(path: string, bytes: Uint8Array): Promise<string>;
  /** `old` is what the file held: a text that began with a byte order mark keeps it and its encoding. */
  encode(path: string, text: string, old: Uint8Array | undefined): Promise<Uint8Array>;
}
