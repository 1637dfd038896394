import type { PathState } from "./tree.js";

/** When a file was last read, by what the system says of it; so it need not be read again. */
export interface ReadTimes {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

/** What a snapshot finds at a path. */
export interface FoundState {
  /** `unknown` where it is there, but no snapshot shall have it any more. */
  readonly state: PathState;
  readonly times?: ReadTimes | undefined;
  /** The one before left it out, so it need not be new. */
  readonly isOld?: boolean;
}
