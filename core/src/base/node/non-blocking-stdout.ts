import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/**
 * Opens stdout so that a pipe never blocks the event loop, which `process.stdout` does on some platforms. Uses Node's stream for files and
 * terminals.
 */
export function openStdout(): Writable {
  const stats = fstatSync(1);
  if (process.platform === "win32" || !(stats.isFIFO() || stats.isSocket())) return process.stdout;
  const stdout = new Socket({ fd: 1, readable: false, writable: true });
  // Without this property, the first access to `process.stdout`, as in any stream's `pipe()`, would open a second stream that fails while
  // the first stream waits for its reader. Bun's own stream must stay.
  if (!("bun" in process.versions)) Object.defineProperty(process, "stdout", { value: stdout, configurable: true });
  return stdout;
}
