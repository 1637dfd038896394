import type { CargoText } from "../../base/cargo/cargo.js";

/** What Ferris needs of the machine. Paths are absolute and in the machine's own spelling unless said otherwise. */
export interface FerrisServices {
  /** Whether there is a package of Rust in a folder, around it or a little below it. */
  hasWorkspace(folder: string): boolean;
  /** Runs cargo in `cwd`, whose configuration and toolchain apply, without colours. Rejects only when `signal` is aborted. */
  cargo(args: readonly string[], cwd: string, signal: AbortSignal): Promise<CargoText>;
  /** A package folder of its own with this `Cargo.toml` and an empty library; gone when disposed. */
  scratchPackage(manifest: string): Promise<ScratchPackage>;
  /** The folder that a file is in. */
  folderOf(path: string): string;
  openFolder(path: string): SourceFolder;
  /** Changes whenever the file does; undefined when there is no such file. */
  fileStamp(path: string): Promise<string | undefined>;
  /** A path below a folder; `relative` has `/` between its parts. */
  join(folder: string, relative: string): string;
}

export interface ScratchPackage extends AsyncDisposable {
  readonly manifestPath: string;
}

/** A folder of sources. Relative paths in it have `/` between their parts on every machine. */
export interface SourceFolder {
  readonly path: string;
  /** Every file in it, sorted, at most 20,000; build output (`target`), hidden folders and links are left out. */
  paths(): Promise<readonly string[]>;
  /** The text of a file; undefined when there is none, it is larger than 4 MiB, or it is not text. */
  read(relative: string): Promise<string | undefined>;
  /** The relative path of what lies in this folder, once links are followed; undefined for everything else. A relative path starts here. */
  relativeTo(path: string): Promise<string | undefined>;
}
