type InstallStep = "resolve" | "download" | "extract" | "verify" | "probe" | "done";

export interface InstallProgress {
  readonly step: InstallStep;
  readonly text: string;
  /** Completed bytes of the step; absent if unknown. */
  readonly bytes?: number;
  readonly totalBytes?: number;
}

export type OnProgress = (progress: InstallProgress) => void;

export interface InstallContext {
  /** Signal that aborts the installation, which then leaves no files behind. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}
