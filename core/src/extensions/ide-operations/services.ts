/** What the component needs of the operating system. */
export interface IdeOperationsServices {
  /** The text of the file at an absolute path; undefined where there is none that can be read as text. */
  readText(path: string): Promise<string | undefined>;
  /** Those of `paths` that are in the folder and that version control does not ignore; all are absolute. */
  ownFiles(folder: string, paths: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** Looks for a word in the files of a folder that version control does not ignore. */
  searchWord(query: WordQuery, signal: AbortSignal): Promise<WordSearch>;
}

export interface WordQuery {
  /** Absolute path. */
  readonly folder: string;
  /** An identifier: it matches where no letter, digit or `_` stands beside it. */
  readonly word: string;
  /** Endings of file names, such as `rs`; undefined for all files. */
  readonly extensions: readonly string[] | undefined;
  /** The search stops at this many hits. */
  readonly limit: number;
}

export interface WordSearch {
  /** In the order of their paths. */
  readonly hits: readonly WordHit[];
  /** False when the search stopped before it had looked at every file. */
  readonly isWhole: boolean;
}

/** Line and UTF-16 code unit from 0, as everywhere below the text that is shown. */
export interface WordHit {
  /** Absolute path. */
  readonly path: string;
  readonly line: number;
  readonly character: number;
  /** The whole line. */
  readonly source: string;
}
