import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * Returns the text of a file that somebody else may have made, at most `maxBytes` of it. Throws if the path is a link, a pipe, a device,
 * a folder or a longer file: opening a pipe would wait for its writer for ever.
 */
export function readUntrustedFile(path: string, { maxBytes }: { readonly maxBytes: number }): string {
  // Windows has neither of the last two flags; a missing one counts as 0.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error(`"${path}" is no regular file.`);
    if (stats.size > maxBytes) throw new Error(`"${path}" has more than ${maxBytes} bytes.`);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}
