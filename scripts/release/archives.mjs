// Archives whose bytes depend on nothing but names and contents: not on the time zone, and not on the umask.
import { createWriteStream } from "node:fs";
import { chmod, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { create } from "tar";
import { ZipFile } from "yazl";

/** The first day that a zip archive can name, which it does in local time; tar has seconds since 1970. */
export const time = { zip: new Date(1980, 0, 1), tar: new Date(Date.UTC(1980, 0, 1)) };

/** Writes `files` (paths on disk) to the root of an archive of the kind that `archive` ends with. */
export async function writeArchive(archive, files, { executables = [] } = {}) {
  const modeOf = (path) => (executables.includes(path) ? 0o755 : 0o644);
  await (archive.endsWith(".zip") ? writeZip(archive, files, modeOf) : writeTar(archive, files, modeOf));
}

/** Gives what is staged in `folder`, for a packager that keeps modes, the modes that it has on every machine. */
export async function settleModes(folder, { executables = [] } = {}) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files) await chmod(file, executables.includes(file) ? 0o755 : 0o644);
}

async function writeTar(archive, files, modeOf) {
  const [folder] = new Set(files.map((path) => dirname(path)));
  const modes = new Map(files.map((path) => [basename(path), modeOf(path)]));
  const options = { cwd: folder, gzip: { level: 9 }, portable: true, mtime: time.tar, noPax: true };
  const onWriteEntry = (entry) => {
    entry.stat.mode = (entry.stat.mode & ~0o777) | (modes.get(entry.path) ?? 0o644);
  };
  await create({ ...options, file: archive, onWriteEntry }, [...modes.keys()]);
}

async function writeZip(archive, files, modeOf) {
  const zip = new ZipFile();
  for (const path of files) {
    zip.addFile(path, basename(path), { mtime: time.zip, mode: 0o100000 | modeOf(path), forceDosTimestamp: true });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(archive));
}
