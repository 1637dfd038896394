import type { OtherVersion } from "../package-reader.js";

/** The importing package, as a lock file describes it. */
export interface LockImporter {
  /** The importer's folder relative to the lock file's folder, with links resolved; empty if both are the same. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Version range in the importer's manifest. */
  readonly range: string | undefined;
}

export interface LockedPackage {
  /** Real name of the package, which differs from the imported name if that is an alias. */
  readonly name: string;
  readonly version: string;
  /** Patch that the package manager applied to the package. */
  readonly patch?: string;
}

/** Content of an npm, pnpm, Yarn or Bun lock file. */
export interface NpmLock {
  /** Returns the locked version of `name` for the importer; undefined if the lock file has none. */
  lockedFor(name: string, importer: LockImporter): LockedPackage | undefined;
  /** Returns all locked versions of the package, with their dependents. */
  versionsOf(name: string): readonly OtherVersion[];
}

/** Collects a package's versions and the dependents of each version. */
export class Wanted {
  readonly #byVersion = new Map<string, Set<string>>();

  add(version: string, wantedBy?: string): void {
    const known = this.#byVersion.get(version) ?? new Set<string>();
    if (wantedBy !== undefined) known.add(wantedBy);
    this.#byVersion.set(version, known);
  }

  list(): readonly OtherVersion[] {
    return [...this.#byVersion].map(([version, wantedBy]) => ({ version, wantedBy: [...wantedBy].sort() }));
  }
}

/** Splits `name@version`. The name may start with `@`. */
export function splitAt(text: string): readonly [name: string, version: string] {
  const at = text.indexOf("@", 1);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
