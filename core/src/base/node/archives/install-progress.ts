/** The steps of an installation, in order. */
type InstallStep = "resolve" | "download" | "extract" | "verify" | "probe" | "done";

/** One event of the stream that a progress bar or a notification is drawn from. */
export interface InstallProgress {
  readonly step: InstallStep;
  /** One line for people. */
  readonly text: string;
  /** How much of the step is done; absent where that is not known. */
  readonly bytes?: number;
  readonly totalBytes?: number;
}

export type OnProgress = (progress: InstallProgress) => void;

/** Given to every part of an installation. */
export interface InstallContext {
  /** Aborting it ends the installation, which then leaves nothing behind. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}
