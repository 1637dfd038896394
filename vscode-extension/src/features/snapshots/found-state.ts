import type { PathState } from "./tree.js";

/** File times and inode at the last read, so that an unchanged file isn't read again. */
export interface ReadTimes {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

export interface FoundState {
  /** State of the path; `unknown` for an existing path that is no longer part of snapshots. */
  readonly state: PathState;
  readonly times?: ReadTimes | undefined;
  /** True if the previous snapshot skipped the file. The file isn't necessarily new then. */
  readonly isOld?: boolean;
}
