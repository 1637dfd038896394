import { SymposiumError } from "../../base/symposium-error.js";

export interface SparkleServices {
  now(): Date;
  /** The user's memory, stored in `~/.sparkle`. */
  readonly home: MemoryFolder;
  /** Returns the memory of the workspace `cwd`, stored in its `.sparkle-space` folder. The call itself accesses no file. */
  workspace(cwd: string): MemoryFolder;
  /** Returns the Git ignore rules for `cwd` in ascending precedence; undefined if `cwd` isn't in a Git work tree. */
  ignoreFiles(cwd: string): Promise<readonly IgnoreFile[] | undefined>;
  /** Appends a line to `.gitignore` in `cwd`; resolves with the path of the `.gitignore`. */
  addIgnoreLine(cwd: string, line: string): Promise<string>;
}

/** A folder of notes. File names are relative, use `/`, and never lead out of the folder. */
export interface MemoryFolder {
  /** Path of the folder for display; the folder may not exist. */
  readonly path: string;
  /** Returns a file's text; undefined if the file doesn't exist. Rejects if the file is too large, binary or outside the folder. */
  read(name: string): Promise<string | undefined>;
  /** Returns sorted names of files directly in `folder`; empty if it doesn't exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Creates and locks the folder, then runs `edit`. Rejects if another session locks the folder for too long. */
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

/** File with Git ignore rules. */
export interface IgnoreFile {
  /** Path from the ignore file's folder to the workspace, with `/`; empty if both are the same. */
  readonly below: string;
  readonly text: string;
}

/**
 * Creates an error about notes that can't be stored or read. `message` must name the file or value, and `hint` must say how to fix the
 * problem.
 */
export function memoryFault(message: string, hint: string, cause?: unknown): SymposiumError {
  return new SymposiumError("memory-unavailable", message, hint, cause === undefined ? undefined : { cause });
}
