import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type ListedFiles, listedFiles } from "./listed-files.js";

interface KeptList {
  readonly folder: string;
  readonly files: ListedFiles;
  readonly listedAt: number;
  /** When each folder of the list, and each file that says what is ignored, was changed last. */
  readonly stamps: ReadonlyMap<string, number>;
}

/** Longer than an agent takes from one question to the next, and short for what no stamp tells. */
const keptMs = 10_000;
/** File systems tell changes apart no better than this. */
const youngMs = 100;
/** With more folders, looking at all of them takes longer than asking version control. */
const mostStamps = 500;

/** Lists the files of a folder as {@link listedFiles} does, and again only when something was added or removed. */
export class FileLists {
  #kept: KeptList | undefined;

  /** With `extensions`, those that end in one of them, such as `rs`. */
  async list(folder: string, extensions: readonly string[] | undefined, signal: AbortSignal): Promise<ListedFiles> {
    const { paths, isWhole } = this.#current(folder) ?? (await this.#read(folder, signal));
    if (extensions === undefined) return { paths, isWhole };
    const endings = extensions.map((extension) => `.${extension}`);
    return { paths: paths.filter((path) => endings.some((ending) => path.endsWith(ending))), isWhole };
  }

  #current(folder: string): ListedFiles | undefined {
    const kept = this.#kept;
    if (kept?.folder !== folder || Date.now() - kept.listedAt > keptMs) return undefined;
    for (const [path, stamp] of kept.stamps) if (stampOf(path) !== stamp) return undefined;
    return kept.files;
  }

  async #read(folder: string, signal: AbortSignal): Promise<ListedFiles> {
    const listedAt = Date.now();
    const files = await listedFiles(folder, signal);
    const watched = watchedPaths(folder, files.paths);
    this.#kept = undefined;
    if (watched.size > mostStamps) return files;
    const stamps = new Map([...watched].map((path) => [path, stampOf(path)]));
    const isSettled = [...stamps.values()].every((stamp) => stamp < listedAt - youngMs);
    if (isSettled) this.#kept = { folder, files, listedAt, stamps };
    return files;
  }
}

function watchedPaths(folder: string, paths: readonly string[]): ReadonlySet<string> {
  const watched = new Set([folder]);
  for (const path of paths) {
    if (basename(path) === ".gitignore") watched.add(path);
    for (let parent = dirname(path); !watched.has(parent) && parent.length > folder.length; parent = dirname(parent)) {
      watched.add(parent);
    }
  }
  return watched;
}

/** In milliseconds; 0 where there is nothing any more. */
function stampOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
