import type { PackageLibrary } from "../packages/package-library.js";

export interface SourcesServices {
  /** Whether the folder or a direct subfolder has a project file. */
  hasPackages(folder: string): boolean;
  /** Returns this machine's packages; loaded on first use. */
  library(): Promise<PackageLibrary>;
  /** Converts a path to the format of package readers. */
  spelled(path: string): string;
  /**
   * Downloads a package with the user's client to Symposium's folder without running any of it. The configuration of the project in
   * `folder` applies if trusted. Rejects with the client's error.
   */
  fetch(wanted: FetchWish, signal: AbortSignal): Promise<FetchedPackage>;
}

interface FetchWish {
  readonly ecosystem: string;
  readonly name: string;
  /** A version, range or tag; undefined for the newest version. */
  readonly version: string | undefined;
  readonly folder: string;
}

interface FetchedPackage {
  readonly version: string;
  readonly folder: string;
  /** Executed command, for display. */
  readonly command: string;
}
