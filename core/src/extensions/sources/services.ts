import type { PackageLibrary } from "../packages/package-library.js";

export interface SourcesServices {
  /** Whether the folder or a direct subfolder contains a project file, such as package.json. */
  hasPackages(folder: string): boolean;
  /** Returns the package library of this machine, which is loaded on first use. */
  library(): Promise<PackageLibrary>;
  /** Converts a path to the format that package readers use. */
  spelled(path: string): string;
  /**
   * Downloads a package with the user's package client to Symposium's folder without running any of its code; rejects with the client's
   * error. The configuration of the project in `folder` applies if the folder is trusted.
   */
  fetch(wanted: FetchWish, signal: AbortSignal): Promise<FetchedPackage>;
}

interface FetchWish {
  readonly ecosystem: string;
  readonly name: string;
  /** Version, range or tag to download; undefined for the newest version. */
  readonly version: string | undefined;
  readonly folder: string;
}

interface FetchedPackage {
  readonly version: string;
  readonly folder: string;
  /** Executed command, for display. */
  readonly command: string;
}
