import type { LogLevel } from "@symposium-dev/core";

/** Log event for listeners and the log channel. `data` never contains prompt text, file contents or secrets. */
export interface LogEvent {
  readonly timestamp: Date;
  readonly level: LogLevel;
  readonly category: string;
  readonly message: string;
  readonly data?: unknown;
}

type LogListener = (event: LogEvent) => void;

export interface LogWriter {
  write(event: LogEvent): void;
}

export class Logger {
  readonly #listeners = new Set<LogListener>();

  constructor(private readonly writer: LogWriter) {}

  onLog(listener: LogListener): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  error(category: string, message: string, data?: unknown): void {
    this.log("error", category, message, data);
  }

  warn(category: string, message: string, data?: unknown): void {
    this.log("warn", category, message, data);
  }

  info(category: string, message: string, data?: unknown): void {
    this.log("info", category, message, data);
  }

  debug(category: string, message: string, data?: unknown): void {
    this.log("debug", category, message, data);
  }

  log(level: LogLevel, category: string, message: string, data?: unknown): void {
    const event: LogEvent = {
      timestamp: new Date(),
      level,
      category,
      message,
      ...(data === undefined ? {} : { data }),
    };
    this.writer.write(event);
    for (const listener of [...this.#listeners]) listener(event);
  }
}

export function logLine({ category, message, data }: LogEvent): string {
  if (data === undefined) return `${category}: ${message}`;
  return `${category}: ${message} ${typeof data === "string" ? data : JSON.stringify(data)}`;
}

interface StartFacts {
  readonly version: string;
  readonly editor: string;
  /** Kind of remote connection, e.g. `ssh-remote`, if the extension runs on a different machine than the window. */
  readonly remote: string | undefined;
  readonly platform: string;
  readonly node: string;
  readonly isTrusted: boolean;
}

export function reportStart(logger: Logger, { remote, ...facts }: StartFacts): void {
  logger.info("extension", "started", remote === undefined ? facts : { ...facts, remote });
}
