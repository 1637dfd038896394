import { appendFileSync, writeFileSync } from "node:fs";
import type { LogFilter, Logger } from "../logger.js";

/** Maximum size of one run's log, in bytes. */
const maxBytes = 1024 * 1024;

/** Writes log events to a file readable only by the user and emptied by each run. Ignores write errors. */
export function logFileSink(file: string, filter: LogFilter): ConstructorParameters<typeof Logger>[0] {
  let written = -1;
  return ({ level, target, event, fields }) => {
    if (!filter.allows(level, target) || written > maxBytes) return;
    const line = `${new Date().toISOString()} ${level} ${target}: ${event} ${JSON.stringify(fields)}\n`;
    try {
      if (written < 0) writeFileSync(file, "", { mode: 0o600 });
      appendFileSync(file, line);
    } catch {
      // The disk is full or read-only; logging must not stop the program.
    }
    written = Math.max(0, written) + line.length;
  };
}
