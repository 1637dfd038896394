import type { InstallContext } from "../../base/node/archives/install-progress.js";
import type { SymposiumError } from "../../base/symposium-error.js";
import type { StartProcess } from "../../base/component-process.js";
import type { DownloadSize } from "../registry/download-size.js";
import type { ArchiveLimits } from "../../base/node/archives/archive-tree.js";
import type { InstallState, Launch } from "./install-state.js";

export interface InstallTools {
  readonly startProcess: StartProcess;
  /** Environment for looking up programs, and for processes that `startProcess` starts. */
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
  readonly limits: DownloadLimits;
  readonly fetch?: typeof fetch;
}

export interface DownloadLimits extends ArchiveLimits {
  /** Maximum size of one archive, in bytes. */
  readonly maxDownloadBytes: number;
}

/** Version to install. Undefined if the version is known only after installation. */
export interface Release {
  readonly version: string | undefined;
  /** Download size; undefined if the source doesn't report the size before the download. */
  readonly size?: DownloadSize;
}

/** Facts about an installation that are available before any download. */
export interface InstallPreview {
  readonly version?: string;
  readonly size: DownloadSize;
  readonly node?: string;
  readonly problem?: SymposiumError;
}

export interface Built {
  readonly version: string;
  readonly launch: Launch;
  readonly digest?: string;
}

export interface InstallSource {
  resolve(folder: string, context: InstallContext): Promise<Release>;
  /** `build` gets the empty folder `root`. The folder is moved afterwards, so nothing in the folder may contain its path. */
  /** Reports facts about the installation without installing. Absent if no source can be queried. */
  preview?(folder: string, context: InstallContext): Promise<InstallPreview>;
  build(root: string, release: Release, state: InstallState, context: InstallContext): Promise<Built>;
}
