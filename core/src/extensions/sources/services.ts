import type { PackageLibrary } from "../packages/package-library.js";

/** What the extension needs of the machine. */
export interface SourcesServices {
  /** Whether the folder, or one directly below it, has a file that projects have. */
  hasPackages(folder: string): boolean;
  /** The packages of this machine; loaded with the first question. */
  library(): Promise<PackageLibrary>;
  /** A path as readers of packages spell it. */
  spelled(path: string): string;
  /**
   * Has the user's own client fetch a package, without running anything of it, into a folder of ours. `folder` is the
   * project's, whose configuration counts where the user trusts it. Rejects with what the client said.
   */
  fetch(wanted: FetchWish, signal: AbortSignal): Promise<FetchedPackage>;
}

interface FetchWish {
  readonly ecosystem: string;
  readonly name: string;
  /** A version, a range or a tag; the newest when absent. */
  readonly version: string | undefined;
  readonly folder: string;
}

interface FetchedPackage {
  readonly version: string;
  readonly folder: string;
  /** What ran, for people. */
  readonly command: string;
}
