import type { InstallContext } from "../../base/node/archives/install-progress.js";
import type { SymposiumError } from "../../base/symposium-error.js";
import type { StartProcess } from "../../base/component-process.js";
import type { DownloadSize } from "../registry/download-size.js";
import type { ArchiveLimits } from "../../base/node/archives/archive-tree.js";
import type { InstallState, Launch } from "./install-state.js";

/** What is needed to install anything. */
export interface InstallTools {
  readonly startProcess: StartProcess;
  /** Where programs are looked up; the environment that `startProcess` gives to what it starts. */
  readonly env: NodeJS.ProcessEnv;
  /** Path of the Node that packages of npm are started with. */
  readonly node: string;
  readonly limits: DownloadLimits;
  readonly fetch?: typeof fetch;
}

export interface DownloadLimits extends ArchiveLimits {
  /** Of one archive, in bytes. */
  readonly maxDownloadBytes: number;
}

/** A version to install; undefined where only the installation itself tells. */
export interface Release {
  readonly version: string | undefined;
  /** Undefined where the source does not know it before the download. */
  readonly size?: DownloadSize;
}

/** What is known of an installation before anything is fetched. */
export interface InstallPreview {
  readonly version?: string;
  readonly size: DownloadSize;
  /** The Node versions that it runs on, where it says so. */
  readonly node?: string;
  /** Why it would not run here, and what to do. */
  readonly problem?: SymposiumError;
}

/** What stands in a staged folder. */
export interface Built {
  readonly version: string;
  readonly launch: Launch;
  /** SHA-256 of the archive it came from. */
  readonly digest?: string;
}

/** One way to install: asks which version there is, then puts it into a folder. */
export interface InstallSource {
  resolve(folder: string, context: InstallContext): Promise<Release>;
  /** `root` is an empty folder, which is moved afterwards: nothing in it may know its path. */
  /** The same without the installation; absent where nobody could be asked. */
  preview?(folder: string, context: InstallContext): Promise<InstallPreview>;
  build(root: string, release: Release, state: InstallState, context: InstallContext): Promise<Built>;
}
