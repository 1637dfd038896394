import { createReadStream } from "node:fs";
import { chmod, copyFile, lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { SymposiumError } from "../../base/symposium-error.js";
import { type ArchiveLimits, ArchiveTree } from "../../registry/install-archive.js";
import type { NamePlatform } from "../../registry/install-name.js";
import { programPath } from "../../registry/install-program.js";
import { ArchiveWriter } from "./archive-writer.js";
import { bunzip2 } from "./bzip2-decoder.js";
import { installFailed, reasonOf, usable } from "./install-error.js";
import type { InstallContext } from "./install-progress.js";
import { readTar, type TakeEntry } from "./tar-entries.js";
import { readZip } from "./zip-entries.js";

/** What a download is, by the end of its address. */
export type ArchiveFormat = "zip" | "tar" | "tar.gz" | "tar.bz2" | "program";

export interface UnpackOptions extends InstallContext {
  /** The archive. */
  readonly file: string;
  /** Where it came from. */
  readonly url: string;
  /** An empty folder. */
  readonly root: string;
  /** As the registry spells it. */
  readonly program: string;
  readonly limits?: ArchiveLimits | undefined;
}

const platform: NamePlatform = process.platform === "win32" ? "windows" : "posix";

/** The format of what `url` leads to. What can only be run by hand, or not be read, is an `install-failed`. */
export function archiveFormat(url: string): ArchiveFormat {
  const path = new URL(url).pathname.toLowerCase();
  if (path.endsWith(".zip")) return "zip";
  if (path.endsWith(".tar.gz") || path.endsWith(".tgz")) return "tar.gz";
  if (path.endsWith(".tar.bz2") || path.endsWith(".tbz2") || path.endsWith(".tbz")) return "tar.bz2";
  if (path.endsWith(".tar")) return "tar";
  const other = /\.(?:dmg|pkg|deb|rpm|msi|msix|appimage|xz|txz|zst|tzst|7z|rar|gz|bz2|br)$/.exec(path)?.[0];
  if (other === undefined) return "program";
  throw installFailed(
    `"${url}" cannot be installed`,
    `files that end in "${other}" are not unpacked`,
    "Install it by hand and configure its program as an executable.",
  );
}

/** Unpacks an archive, or puts a raw program in its place; returns the program's path below the root, checked. */
export async function unpack(options: UnpackOptions): Promise<string> {
  const { file, url, root, onProgress } = options;
  const format = archiveFormat(url);
  const program = usable(programPath(options.program, platform));
  const path = join(root, ...program);
  onProgress({ step: "extract", text: `Unpacking ${url}` });
  await mkdir(root, { recursive: true });
  if (format === "program") {
    await mkdir(dirname(path), { recursive: true });
    await copyFile(file, path);
  } else {
    await extract(format, options);
  }
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !(await stat(path).catch(() => undefined))?.isFile()) {
    throw installFailed(`"${url}" cannot be used`, `it does not hold the program "${options.program}"`, reportIt);
  }
  // Some archivers for Windows keep no permissions.
  if (found.isFile()) await chmod(path, 0o755);
  return program.join("/");
}

const reportIt = "The registry's entry does not fit the archive: report it to its publisher.";

async function extract(format: ArchiveFormat, { file, url, root, signal, limits }: UnpackOptions): Promise<void> {
  const { size } = await stat(file);
  const tree = new ArchiveTree(platform, size, limits);
  const writer = new ArchiveWriter(root, tree, signal);
  const take: TakeEntry = (entry, content) => writer.write(entry, content);
  try {
    if (format === "zip") await readZip(file, take);
    else await readTar(counted(decompressed(format, file), tree), take, signal);
    await writer.finish();
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof SymposiumError || !(thrown instanceof Error)) throw thrown;
    if (/^(?:absolute path|invalid relative path|invalid characters in fileName)/.test(thrown.message)) {
      throw new SymposiumError("unsafe-archive", `The archive was refused: ${thrown.message}.`);
    }
    throw installFailed(`"${url}" cannot be unpacked`, reasonOf(thrown), undefined, thrown);
  }
}

async function* decompressed(format: ArchiveFormat, file: string): AsyncGenerator<Uint8Array, void> {
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  try {
    if (format === "tar.bz2") yield* bunzip2(source);
    else if (format === "tar") yield* source;
    else yield* gunzipped(source);
  } finally {
    source.destroy();
  }
}

async function* counted(source: AsyncIterable<Uint8Array>, tree: ArchiveTree): AsyncGenerator<Uint8Array, void> {
  for await (const piece of source) {
    tree.countRead(piece.length);
    yield piece;
  }
}

function gunzipped(source: Readable): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  source.on("error", (error) => gunzip.destroy(error)).pipe(gunzip);
  return gunzip;
}
