import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";

interface UntrustedFileOptions {
  /** A longer file is refused. */
  readonly maxBytes: number;
  /** Whether a link as the path's last name is followed; refused if absent. */
  readonly links?: "follow";
  /** Decides once the file is open, when no link can be put in its place any more. `opened` is a path that leads to the open file. */
  readonly isAllowed?: ((opened: string) => boolean) | undefined;
}

/** {@link readUntrustedBytes} as UTF-8. */
export function readUntrustedFile(path: string, options: UntrustedFileOptions): string {
  return readUntrustedBytes(path, options).toString("utf8");
}

/**
 * Returns what is in a file that somebody else may have made. Throws if the path is a link, a pipe, a device, a folder or a longer file:
 * opening a pipe would wait for its writer for ever. Reads in one go, so `maxBytes` should be small enough for the calling thread.
 */
export function readUntrustedBytes(path: string, { maxBytes, links, isAllowed }: UntrustedFileOptions): Buffer {
  // Windows lacks O_NOFOLLOW and O_NONBLOCK; a missing one counts as 0.
  const noFollow = links === "follow" ? 0 : constants.O_NOFOLLOW;
  const file = openSync(path, constants.O_RDONLY | noFollow | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error(`"${path}" is no regular file.`);
    if (stats.size > maxBytes) throw new Error(`"${path}" has more than ${maxBytes} bytes.`);
    const opened = process.platform === "linux" ? `/proc/self/fd/${file}` : path;
    if (isAllowed?.(opened) === false) throw new Error(`"${path}" may not be read.`);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** The most bytes that a file may have for which nobody names a limit. */
const usualMaxBytes = 64 * 1024 * 1024;

/** {@link loadUntrustedBytes} as UTF-8. */
export async function loadUntrustedText(path: string, maxBytes?: number): Promise<string> {
  return (await loadUntrustedBytes(path, maxBytes)).toString("utf8");
}

/** As {@link readUntrustedBytes}, but follows links and keeps no thread. Rejects if the path is no file within the limit. */
export async function loadUntrustedBytes(path: string, maxBytes = usualMaxBytes): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) throw new Error(`"${path}" is no regular file`);
  if (stats.size > maxBytes) throw new Error(`"${path}" has more than ${maxBytes} bytes`);
  return await file.readFile();
}
