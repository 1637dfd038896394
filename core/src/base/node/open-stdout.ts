import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/**
 * Whether `process.stdout` blocks the event loop on a pipe depends on the platform; a socket of our own never does.
 * Files and terminals stay with Node.
 */
export function openStdout(): Writable {
  const stats = fstatSync(1);
  if (process.platform === "win32" || !(stats.isFIFO() || stats.isSocket())) return process.stdout;
  const stdout = new Socket({ fd: 1, readable: false, writable: true });
  // Node would open a second one when it is first asked for, which `pipe()` of any stream does, and fail while this one waits
  // for its reader. Bun has one of its own, which must stay.
  if (!("bun" in process.versions)) Object.defineProperty(process, "stdout", { value: stdout, configurable: true });
  return stdout;
}
