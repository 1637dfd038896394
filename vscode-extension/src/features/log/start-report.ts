import type { Logger } from "./logger.js";

/** What a report of a fault has to name. */
interface StartFacts {
  /** Of the extension. */
  readonly version: string;
  /** Name and version of the editor. */
  readonly editor: string;
  /** Where the extension runs when that is not where the window is, e.g. `ssh-remote`. */
  readonly remote: string | undefined;
  readonly platform: string;
  readonly node: string;
  readonly isTrusted: boolean;
}

/** Says in the log what has started, in what. */
export function reportStart(logger: Logger, { remote, ...facts }: StartFacts): void {
  logger.info("extension", "started", remote === undefined ? facts : { ...facts, remote });
}
