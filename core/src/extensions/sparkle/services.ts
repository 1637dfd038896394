import { SymposiumError } from "../../base/symposium-error.js";

/** What Sparkle needs of the machine. */
export interface SparkleServices {
  now(): Date;
  /** What is kept of the user, in `~/.sparkle`. */
  readonly home: MemoryFolder;
  /** What is kept of a workspace: `.sparkle-space` in `cwd`. Nothing is looked at before it is asked. */
  workspace(cwd: string): MemoryFolder;
  /** The ignore rules that hold in `cwd`, the weakest first; undefined outside of a git work tree. */
  ignoreFiles(cwd: string): Promise<readonly IgnoreFile[] | undefined>;
  /** Adds a line to the `.gitignore` in `cwd`; resolves with its path. */
  addIgnoreLine(cwd: string, line: string): Promise<string>;
}

/** A folder of notes. Names are relative with `/` between their parts, and never lead out of the folder. */
export interface MemoryFolder {
  /** For people; the folder need not exist. */
  readonly path: string;
  /** The text of a file; undefined when there is none. Rejects when it is too large, no text, or leads out of the folder. */
  read(name: string): Promise<string | undefined>;
  /** Names of the files directly in `folder`, sorted; empty when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Runs `edit` while no other session or process changes this folder; makes the folder. Rejects when others keep it for too long. */
  change<T>(edit: (files: WritableFolder) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A folder that is open for changes. */
export interface WritableFolder {
  /** Whether the folder was made for this change. */
  readonly isNew: boolean;
  read(name: string): Promise<string | undefined>;
  list(folder: string): Promise<readonly string[]>;
  /** Replaces the whole file, or makes it: whoever reads sees the old text or the new one. */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** A file of git's ignore rules. */
export interface IgnoreFile {
  /** From the folder of the rules to the workspace, with `/` between parts; empty when they are the same. */
  readonly below: string;
  readonly text: string;
}

/** Notes that cannot be kept or read: `message` names the file or value, `hint` says what to do. */
export function memoryFault(message: string, hint: string, cause?: unknown): SymposiumError {
  return new SymposiumError("memory-unavailable", message, hint, cause === undefined ? undefined : { cause });
}
