import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

interface UntrustedFileOptions {
  /** Maximum size of a file in bytes; longer files are rejected. */
  readonly maxBytes: number;
  /** Whether to follow a link in the path's last segment; by default such links are rejected. */
  readonly links?: "follow";
  /** Checks the open file, when it can no longer be replaced by a link. `opened` is a path of the open file. */
  readonly isAllowed?: ((opened: string) => boolean) | undefined;
}

type Refusal = "folder" | "special" | "long" | "forbidden";

const reasons: Readonly<Record<Refusal, string>> = {
  folder: "is a folder",
  special: "is no regular file",
  long: "is too long",
  forbidden: "may not be read",
};

/** Path of an object that isn't a readable regular file. */
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

export function readUntrustedFile(path: string, options: UntrustedFileOptions): string {
  return readUntrustedBytes(path, options).toString("utf8");
}

/**
 * Reads a file that may be malicious. Throws {@link RefusedFile} for a pipe, device, folder or longer file, and the system's error for a
 * link, since opening a pipe could block forever. Synchronous, so `maxBytes` must suit the calling thread.
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

const usualMaxBytes = 64 * 1024 * 1024;

export async function loadUntrustedText(path: string, options?: number | UntrustedFileOptions): Promise<string> {
  return (await loadUntrustedBytes(path, options)).toString("utf8");
}

/** Like {@link readUntrustedBytes}, but asynchronous. If `options` is only a limit, links are followed. */
export async function loadUntrustedBytes(
  path: string,
  options: number | UntrustedFileOptions = usualMaxBytes,
): Promise<Buffer> {
  const given = typeof options === "number" ? ({ maxBytes: options, links: "follow" } as const) : options;
  await using file = await openUntrusted(path, given);
  // Ignores data appended during the read.
  const bytes = Buffer.alloc((await file.stat()).size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

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

/** Windows lacks O_NOFOLLOW and O_NONBLOCK; the bitwise OR treats an undefined flag as 0. */
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
