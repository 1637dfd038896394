import { appendFileSync, writeFileSync } from "node:fs";
import type { LogFilter, Logger } from "../logger.js";

/** Maximum of what one run writes. */
const maxBytes = 1024 * 1024;

/** Writes log events to a file that is emptied by each run and readable for the user only. Ignores a file that cannot be written. */
export function logFileSink(file: string, filter: LogFilter): ConstructorParameters<typeof Logger>[0] {
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
