import { SymposiumError } from "../../base/symposium-error.js";

export interface SparkleServices {
  now(): Date;
  /** Memory of the user in `~/.sparkle`. */
  readonly home: MemoryFolder;
  /** Returns the memory of a workspace in `.sparkle-space` in `cwd`. Accesses no file itself. */
  workspace(cwd: string): MemoryFolder;
  /** Returns the ignore rules for `cwd` in ascending precedence; undefined outside a Git work tree. */
  ignoreFiles(cwd: string): Promise<readonly IgnoreFile[] | undefined>;
  /** Appends a line to `.gitignore` in `cwd`; resolves with its path. */
  addIgnoreLine(cwd: string, line: string): Promise<string>;
}

/** A folder of notes. Names are relative with `/` and never lead out of the folder. */
export interface MemoryFolder {
  /** Path for display; the folder may not exist. */
  readonly path: string;
  /** Returns a file's text; undefined if it doesn't exist. Rejects if it is too large, binary or outside the folder. */
  read(name: string): Promise<string | undefined>;
  /** Returns sorted names of files directly in `folder`; empty if it doesn't exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Creates and locks the folder, then runs `edit`. Rejects if others lock it for too long. */
  change<T>(edit: (files: WritableFolder) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface WritableFolder {
  /** Whether this change created the folder. */
  readonly isNew: boolean;
  read(name: string): Promise<string | undefined>;
  list(folder: string): Promise<readonly string[]>;
  /** Replaces or creates the file atomically, so that readers see the old or the new text. */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A file of Git ignore rules. */
export interface IgnoreFile {
  /** Path from the rules' folder to the workspace, with `/`; empty if they are the same. */
  readonly below: string;
  readonly text: string;
}

/** Creates an error about notes that can't be stored or read. `message` must name the file or value, `hint` the remedy. */
export function memoryFault(message: string, hint: string, cause?: unknown): SymposiumError {
  return new SymposiumError("memory-unavailable", message, hint, cause === undefined ? undefined : { cause });
}
