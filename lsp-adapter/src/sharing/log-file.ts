import { appendFileSync, writeFileSync } from "node:fs";
import type { LogFilter, Logger } from "@symposium-dev/core";

type LogSink = ConstructorParameters<typeof Logger>[0];

/** One run writes no more than that. */
const maxBytes = 1024 * 1024;

/** Writes log events to a file that begins anew with each run, readable for the user only. A file that cannot be written is no failure. */
export function logFileSink(file: string, filter: LogFilter): LogSink {
  let written = -1;
  return ({ level, target, event, fields }) => {
    if (!filter.allows(level, target) || written > maxBytes) return;
    const line = `${new Date().toISOString()} ${level} ${target}: ${event} ${JSON.stringify(fields)}\n`;
    try {
      if (written < 0) writeFileSync(file, "", { mode: 0o600 });
      appendFileSync(file, line);
    } catch {
      // The folder is full or read-only; the work goes on.
    }
    written = Math.max(0, written) + line.length;
  };
}
