export interface IdeOperationsServices {
  /** Reads the text of a file at an absolute path; undefined if it isn't a readable text file. */
  readText(path: string): Promise<string | undefined>;
  /** Returns those of `paths` that are in the folder and not ignored by Git. All paths are absolute. */
  ownFiles(folder: string, paths: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** Finds a word in a folder's files, except those that Git ignores. */
  searchWord(query: WordQuery, signal: AbortSignal): Promise<WordSearch>;
}

export interface WordQuery {
  readonly folder: string;
  /** An identifier. A match must have no letter, digit or `_` next to it. */
  readonly word: string;
  /** File name extensions, for example `rs`; undefined for all files. */
  readonly extensions: readonly string[] | undefined;
  /** Number of hits after which the search stops. */
  readonly limit: number;
}

export interface WordSearch {
  /** Sorted by path. */
  readonly hits: readonly WordHit[];
  /** False if the search stopped early. */
  readonly isWhole: boolean;
}

/** Line and UTF-16 column from 0, as everywhere except in text for users. */
export interface WordHit {
  readonly path: string;
  readonly line: number;
  readonly character: number;
  readonly source: string;
}
