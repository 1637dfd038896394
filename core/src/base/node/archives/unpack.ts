import { createReadStream } from "node:fs";
import { chmod, copyFile, lstat, mkdir, stat, link, open, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { SymposiumError } from "../../symposium-error.js";
import { type ArchiveLimits, ArchiveTree, type ArchiveEntry, type PlacedLink } from "./archive-tree.js";
import { type NamePlatform, nameProblem } from "./name-rules.js";
import { bunzip2 } from "./bzip2.js";
import { installFailed, reasonOf, usable } from "../install-failure.js";
import type { InstallContext } from "./install-progress.js";
import { readTar, type TakeEntry, readZip } from "./tar-and-zip-readers.js";
import { type Fault, fault } from "../../problem.js";

type ArchiveFormat = "zip" | "tar" | "tar.gz" | "tar.bz2" | "program";

export interface UnpackOptions extends InstallContext {
  readonly file: string;
  readonly url: string;
  readonly root: string;
  readonly program: string;
  readonly limits?: ArchiveLimits | undefined;
}

const platform: NamePlatform = process.platform === "win32" ? "windows" : "posix";

/** Determines the format of a download. Throws `install-failed` for installers that the user must run, and for unsupported formats. */
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
    `files that end in "${other}" can't be unpacked`,
    "Install it by hand and configure its program as an executable.",
  );
}

/** Unpacks an archive or places a raw program. Returns the program's verified path relative to the root. */
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
    throw installFailed(`"${url}" cannot be used`, `it does not contain the program "${options.program}"`, reportIt);
  }
  // Make the program executable, since some Windows archivers store no permissions.
  if (found.isFile()) await chmod(path, 0o755);
  return program.join("/");
}

const reportIt = "The registry entry doesn't match the archive: report it to the publisher.";

/** Unpacks a whole archive into an empty folder. `url` appears in errors. */
export async function extract(
  format: Exclude<ArchiveFormat, "program">,
  { file, url, root, signal, limits }: Pick<UnpackOptions, "file" | "url" | "root" | "signal" | "limits">,
): Promise<void> {
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

/**
 * Writes archive members below `root`, at the places that `tree` allows. `root` must be private; drops owners, times and all permissions
 * except "executable".
 */
class ArchiveWriter {
  readonly #made = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly tree: ArchiveTree,
    private readonly signal: AbortSignal,
  ) {}

  /** Writes a member. Reads the member's content only if there is something to write. */
  async write(entry: ArchiveEntry, content: () => AsyncIterable<Uint8Array>): Promise<void> {
    this.signal.throwIfAborted();
    const placed = this.tree.place(entry);
    if (placed === undefined) return;
    if (placed.kind === "folder") return this.#makeFolder(placed.path);
    await this.#makeFolder(placed.path.slice(0, -1));
    if (placed.kind === "hardlink") return this.#link(placed.source, placed.path);
    // Create the file exclusively, because two names may refer to the same file by rules that only the file system knows.
    await using handle = await open(this.#at(placed.path), "wx", placed.isExecutable ? 0o755 : 0o644);
    for await (const piece of content()) {
      this.signal.throwIfAborted();
      this.tree.count(piece.length);
      await handle.writeFile(piece);
    }
  }

  async finish(): Promise<void> {
    for (const placed of this.tree.links()) {
      await this.#makeFolder(placed.path.slice(0, -1));
      if (process.platform === "win32") await this.#copyTarget(placed);
      else await symlink(placed.target, this.#at(placed.path));
    }
  }

  /** Copies a link's target instead of creating the link, because Windows restricts who may create links. */
  async #copyTarget({ path, leadsTo, target }: PlacedLink): Promise<void> {
    if (leadsTo === undefined) return;
    try {
      await copyFile(this.#at(leadsTo), this.#at(path));
    } catch (thrown) {
      throw installFailed(
        `The archive's link "${path.join("/")}" could not be created`,
        `"${target}" isn't a file`,
        "",
        thrown,
      );
    }
  }

  async #link(source: readonly string[], path: readonly string[]): Promise<void> {
    try {
      await link(this.#at(source), this.#at(path));
    } catch {
      await copyFile(this.#at(source), this.#at(path));
    }
  }

  async #makeFolder(path: readonly string[]): Promise<void> {
    const folder = this.#at(path);
    if (this.#made.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o755 });
    this.#made.add(folder);
  }

  #at(path: readonly string[]): string {
    return join(this.root, ...path);
  }
}

/**
 * Normalizes the path of an archive's program from any registry spelling: `./goose`, `bin/goose`, `.\goose\goose.exe`, `goose`. Returns a
 * fault for a path that could lead outside.
 */
export function programPath(spelled: string, platform: NamePlatform): readonly string[] | Fault {
  const refused = (reason: string): Fault =>
    fault(
      `The program ${JSON.stringify(spelled)} of the archive ${reason}.`,
      "Fix the entry, or report it to its registry.",
    );
  if (/^[/\\]|^[a-z]:/i.test(spelled)) return refused("has an absolute path");
  const path = spelled.split(/[/\\]/).filter((part) => part !== "" && part !== ".");
  if (path.length === 0) return refused("has no name");
  if (path.includes("..")) return refused("lies outside its folder");
  const bad = path.find((part) => nameProblem(part, platform) !== undefined);
  return bad === undefined ? path : refused(nameProblem(bad, platform) ?? "");
}
