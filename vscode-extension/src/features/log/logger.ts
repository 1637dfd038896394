import type { LogLevel } from "@symposium-dev/core";

/** One event, for tests and for the log channel. `data` never holds prompt text, file contents or secrets. */
export interface LogEvent {
  readonly timestamp: Date;
  readonly level: LogLevel;
  /** A dotted path, e.g. `agent.process`. */
  readonly category: string;
  readonly message: string;
  readonly data?: unknown;
}

type LogListener = (event: LogEvent) => void;

/** Where events are written for people. */
export interface LogWriter {
  write(event: LogEvent): void;
}

/** Structured log of the extension: every event goes to the listeners and, where its level is wanted, to the writer. */
export class Logger {
  readonly #listeners = new Set<LogListener>();

  constructor(private readonly writer: LogWriter) {}

  /** Called with every event, whatever its level. */
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

/** An event as one line, without its time and level. */
export function logLine({ category, message, data }: LogEvent): string {
  if (data === undefined) return `${category}: ${message}`;
  return `${category}: ${message} ${typeof data === "string" ? data : JSON.stringify(data)}`;
}

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
