import type { CargoText } from "../../base/cargo/unusable-cargo.js";

/** Machine access for Ferris. Paths are absolute and in native syntax unless stated otherwise. */
export interface FerrisServices {
  /** Whether the folder, one of its parents or a nearby subfolder contains a Rust package. */
  hasWorkspace(folder: string): boolean;
  /** Runs cargo without colors and with the configuration and toolchain of `cwd`. Rejects only if `signal` is aborted. */
  cargo(args: readonly string[], cwd: string, signal: AbortSignal): Promise<CargoText>;
  /** Creates a temporary package with this `Cargo.toml` and an empty library. Disposing deletes it. */
  scratchPackage(manifest: string): Promise<ScratchPackage>;
  folderOf(path: string): string;
  openFolder(path: string): SourceFolder;
  /** Changes whenever the file does; undefined if it doesn't exist. */
  fileStamp(path: string): Promise<string | undefined>;
  /** Joins native and relative paths; `relative` uses `/`. */
  join(folder: string, relative: string): string;
}

export interface ScratchPackage extends AsyncDisposable {
  readonly manifestPath: string;
}

/** A folder of sources. Relative paths use `/` on all platforms. */
export interface SourceFolder {
  readonly path: string;
  /** Lists at most 20,000 files, sorted. Skips build output (`target`), hidden folders and links. */
  paths(): Promise<readonly string[]>;
  /** Reads a text file; undefined if missing, larger than 4 MiB or binary. */
  read(relative: string): Promise<string | undefined>;
  /**
   * Returns the relative path of a file in this folder after resolving links; undefined for files outside. Relative input starts in this
   * folder.
   */
  relativeTo(path: string): Promise<string | undefined>;
}
