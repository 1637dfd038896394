import { joined, type PackageFiles, ReadOnce, upwards } from "../package-files.js";
import type { OtherVersion } from "../package-reader.js";
import { parseBunLock } from "./bun-lock.js";
import type { NpmLock } from "./npm-lock.js";
import { parsePackageLock } from "./package-lock.js";
import { parsePnpmLock } from "./pnpm-lock.js";
import { parseYarnLock } from "./yarn-lock.js";

const parsers: Readonly<Record<string, (text: string) => NpmLock | undefined>> = {
  "npm-shrinkwrap.json": parsePackageLock,
  "package-lock.json": parsePackageLock,
  "pnpm-lock.yaml": parsePnpmLock,
  "yarn.lock": parseYarnLock,
  "bun.lock": parseBunLock,
  ".package-lock.json": parsePackageLock,
  "lock.yaml": parsePnpmLock,
};
/** Package managers' lists of installed packages, relative to the lock file's folder. */
const installedFiles = ["node_modules/.package-lock.json", "node_modules/.pnpm/lock.yaml"];
const wantedFiles = Object.keys(parsers).slice(0, 5);
const maxLockBytes = 64 * 1024 * 1024;

export interface FoundLock {
  readonly folder: string;
  /** File name of the lock file, since a folder may have lock files from several package managers. */
  readonly file: string;
  readonly lock: NpmLock;
}

/** npm, pnpm, Yarn and Bun lock files in a folder and its parents, cached until they change. */
export class NpmLocks {
  readonly #locks: ReadOnce<NpmLock>;
  /** Versions by lock file and package name, cached since each query scans the whole lock file. */
  readonly #versions = new WeakMap<NpmLock, Map<string, readonly OtherVersion[]>>();

  constructor(private readonly files: PackageFiles) {
    const parse = (text: string, path: string): NpmLock | undefined =>
      parsers[path.slice(path.lastIndexOf("/") + 1)]?.(text);
    this.#locks = new ReadOnce(files, parse, maxLockBytes, 12);
  }

  /**
   * Returns the lock file in the folder or the nearest parent. If a folder has several lock files, the most recently changed takes
   * precedence.
   */
  async around(folder: string): Promise<FoundLock | undefined> {
    for (const at of upwards(folder)) {
      const stamps = await Promise.all(
        wantedFiles.map(async (file) => ({ file, stamp: await this.files.stamp(joined(at, file)) })),
      );
      const there = stamps.filter(({ stamp }) => stamp !== undefined);
      const newest = there.sort((left, right) => parseFloat(right.stamp ?? "0") - parseFloat(left.stamp ?? "0"));
      for (const { file } of newest) {
        const lock = await this.#locks.of(joined(at, file));
        if (lock) return { folder: at, file, lock };
      }
    }
    return undefined;
  }

  versionsIn(lock: NpmLock, name: string): readonly OtherVersion[] {
    const known = this.#versions.get(lock) ?? new Map<string, readonly OtherVersion[]>();
    this.#versions.set(lock, known);
    const versions = known.get(name) ?? lock.versionsOf(name);
    known.set(name, versions);
    return versions;
  }

  /** Returns the package manager's list of installed packages, if the package manager writes such a list. */
  async installedIn(folder: string): Promise<NpmLock | undefined> {
    for (const file of installedFiles) {
      const lock = await this.#locks.of(joined(folder, file));
      if (lock) return lock;
    }
    return undefined;
  }
}
