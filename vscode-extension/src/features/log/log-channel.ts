import { type LogOutputChannel, window } from "vscode";
import { type LogEvent, logLine, type LogWriter } from "./logger.js";

type WrittenLevel = "error" | "info" | "debug";

const ranks = { error: 0, warn: 1, info: 1, debug: 2, trace: 3 } as const;

export class LogChannel implements LogWriter {
  #channel: LogOutputChannel | undefined;
  level: WrittenLevel = "info";

  write(event: LogEvent): void {
    if (ranks[event.level] > ranks[this.level]) return;
    const line = logLine(event);
    // The extension's setting has already filtered the event. Write debug events as info, so that the channel's own level doesn't hide
    // them.
    if (event.level === "error") this.#open().error(line);
    else if (event.level === "warn") this.#open().warn(line);
    else this.#open().info(line);
  }

  show(): void {
    this.#open().show();
  }

  dispose(): void {
    this.#channel?.dispose();
  }

  #open(): LogOutputChannel {
    this.#channel ??= window.createOutputChannel("Symposium", { log: true });
    return this.#channel;
  }
}
