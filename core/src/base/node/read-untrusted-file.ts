import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

interface UntrustedFileOptions {
  /** A longer file is refused. */
  readonly maxBytes: number;
  /** Whether a link as the path's last name is followed; refused if absent. */
  readonly links?: "follow";
  /** Decides once the file is open, when no link can be put in its place any more. `opened` is a path that leads to the open file. */
  readonly isAllowed?: ((opened: string) => boolean) | undefined;
}

/** The reason why a path is not read. */
type Refusal = "folder" | "special" | "long" | "forbidden";

const reasons: Readonly<Record<Refusal, string>> = {
  folder: "is a folder",
  special: "is no regular file",
  long: "is too long",
  forbidden: "may not be read",
};

/** A path that leads to something else than a file that may be read. */
export class RefusedFile extends Error {
  override readonly name = "RefusedFile";
  constructor(
    path: string,
    readonly refusal: Refusal,
    limit = "",
  ) {
    super(`"${path}" ${reasons[refusal]}${limit}`);
  }
}

/** {@link readUntrustedBytes} as UTF-8. */
export function readUntrustedFile(path: string, options: UntrustedFileOptions): string {
  return readUntrustedBytes(path, options).toString("utf8");
}

/**
 * Returns the content of a file that somebody else may have made. Throws {@link RefusedFile} if the path is a pipe, a device, a folder
 * or a longer file, and the system's error for a link: opening a pipe would wait for its writer for ever. Reads in one go, so `maxBytes`
 * should be small enough for the calling thread.
 */
export function readUntrustedBytes(path: string, options: UntrustedFileOptions): Buffer {
  const file = openSync(path, flagsOf(options));
  try {
    const bytes = Buffer.alloc(checkedSize(path, file, fstatSync(file), options));
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
export async function loadUntrustedText(path: string, options?: number | UntrustedFileOptions): Promise<string> {
  return (await loadUntrustedBytes(path, options)).toString("utf8");
}

/** As {@link readUntrustedBytes}, but keeps no thread. With only a limit in place of `options`, it follows links. */
export async function loadUntrustedBytes(
  path: string,
  options: number | UntrustedFileOptions = usualMaxBytes,
): Promise<Buffer> {
  const given = typeof options === "number" ? ({ maxBytes: options, links: "follow" } as const) : options;
  await using file = await openUntrusted(path, given);
  // A file that grows meanwhile is not read on.
  const bytes = Buffer.alloc((await file.stat()).size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Opens a file for those who read it in pieces, with the same checks. */
export async function openUntrusted(path: string, options: UntrustedFileOptions): Promise<FileHandle> {
  const file = await open(path, flagsOf(options));
  try {
    checkedSize(path, file.fd, await file.stat(), options);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Windows lacks O_NOFOLLOW and O_NONBLOCK; a missing one counts as 0. */
function flagsOf({ links }: UntrustedFileOptions): number {
  return constants.O_RDONLY | constants.O_NONBLOCK | (links === "follow" ? 0 : constants.O_NOFOLLOW);
}

function checkedSize(path: string, file: number, stats: Stats, { maxBytes, isAllowed }: UntrustedFileOptions): number {
  if (!stats.isFile()) throw new RefusedFile(path, stats.isDirectory() ? "folder" : "special");
  if (stats.size > maxBytes) throw new RefusedFile(path, "long", `: it has more than ${maxBytes} bytes`);
  const opened = process.platform === "linux" ? `/proc/self/fd/${file}` : path;
  if (isAllowed?.(opened) === false) throw new RefusedFile(path, "forbidden");
  return stats.size;
}
