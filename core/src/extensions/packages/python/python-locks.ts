import type { Machine } from "../machine.js";
import { joined, type PackageFiles, parentOf, ReadOnce, upwards } from "../package-files.js";
import type { OtherVersion } from "../package-reader.js";
import { markerHolds, markerValues } from "./markers.js";
import { includedRequirements, parsePipfileLock, parseRequirements } from "./other-locks.js";
import type { LockedDistribution, PythonLock } from "./locked-distributions.js";
import { isSameVersion } from "./pep440-version.js";
import { parseTomlLock } from "./toml-locks.js";

const parsers: Readonly<Record<string, (text: string) => PythonLock | undefined>> = {
  "uv.lock": parseTomlLock,
  "poetry.lock": parseTomlLock,
  "pdm.lock": parseTomlLock,
  "pylock.toml": parseTomlLock,
  "Pipfile.lock": parsePipfileLock,
};
const maxLockBytes = 64 * 1024 * 1024;
const maxIncluded = 20;

/** A distribution's data in the lock files of a folder and its parents. */
interface Locked {
  readonly file: string;
  /** The locked version for this environment; undefined if several versions could apply. */
  readonly one: LockedDistribution | undefined;
  readonly others: readonly OtherVersion[];
}

/** Python lock files and requirements lists in a folder and its parents, cached until they change. */
export class PythonLocks {
  readonly #locks: ReadOnce<PythonLock>;
  readonly #included: ReadOnce<readonly string[]>;

  constructor(
    private readonly files: PackageFiles,
    private readonly machine: Machine,
  ) {
    const parse = (text: string, path: string): PythonLock | undefined =>
      (parsers[path.slice(path.lastIndexOf("/") + 1)] ?? (path.endsWith(".toml") ? parseTomlLock : parseRequirements))(
        text,
      );
    this.#locks = new ReadOnce(files, parse, maxLockBytes, 24);
    this.#included = new ReadOnce(files, includedRequirements, maxLockBytes, 24);
  }

  /** Returns the nearest file that lists one of the names. Prefers lock files to requirements lists. `names` must be normalized. */
  async of(names: readonly string[], from: string, pythonVersion: string): Promise<Locked | undefined> {
    for (const folder of upwards(from)) {
      for (const { file, lock } of await this.#locksIn(folder)) {
        const name = names.find((one) => lock.distributions.has(one));
        if (name !== undefined) return this.#lockedIn(file, lock, name, pythonVersion);
      }
      if ((await this.files.stamp(joined(folder, ".git"))) !== undefined) return undefined;
    }
    return undefined;
  }

  #lockedIn(file: string, lock: PythonLock, name: string, pythonVersion: string): Locked {
    const all = lock.distributions.get(name) ?? [];
    const values = markerValues(this.machine, pythonVersion);
    const fitting = all.filter(
      ({ markers }) => markers.length === 0 || markers.some((marker) => markerHolds(marker, values)),
    );
    const versions = [...new Set(fitting.map(({ version }) => version))];
    const one = versions.length === 1 ? fitting[0] : undefined;
    const rest = all.filter(({ version }) => version !== one?.version && version !== "");
    const wanted = lock.wanted.get(name) ?? [];
    const others = [...new Set(rest.map(({ version }) => version))].map((version) => ({
      version,
      wantedBy: wanted.flatMap((want) =>
        want.version !== undefined && isSameVersion(version, want.version) ? [want.by] : [],
      ),
    }));
    return { file, one, others };
  }

  async #locksIn(folder: string): Promise<readonly { readonly file: string; readonly lock: PythonLock }[]> {
    const named = Object.keys(parsers);
    const stamps = await Promise.all(named.map((name) => this.files.stamp(joined(folder, name))));
    const found = named.filter((_, index) => stamps[index] !== undefined).map((name) => joined(folder, name));
    const entries = (await this.files.list(folder)).filter(({ kind }) => kind === "file").map(({ name }) => name);
    const more = entries.filter((name) => /^pylock\.[\w-]+\.toml$/.test(name));
    const lists = entries.filter((name) => /^(?:requirements|constraints)(?:[-_.][\w.-]+)?\.txt$/i.test(name));
    const inFolder = (await this.files.list(joined(folder, "requirements"))).filter(({ name }) =>
      name.endsWith(".txt"),
    );
    const requirements = await this.#withIncluded(
      [
        ...lists.map((name) => joined(folder, name)),
        ...inFolder.map(({ name }) => joined(folder, `requirements/${name}`)),
      ],
      folder,
    );
    const all = [...found, ...more.map((name) => joined(folder, name)), ...requirements];
    const locks = await Promise.all(all.map(async (file) => ({ file, lock: await this.#locks.of(file) })));
    return locks.flatMap(({ file, lock }) => (lock ? [{ file, lock }] : []));
  }

  async #withIncluded(lists: readonly string[], root: string): Promise<readonly string[]> {
    const all = new Set(lists);
    for (const file of all) {
      if (all.size > maxIncluded) break;
      for (const name of (await this.#included.of(file)) ?? []) {
        const place = joined(parentOf(file), name);
        if (place.startsWith(`${root}/`)) all.add(place);
      }
    }
    return [...all];
  }
}
