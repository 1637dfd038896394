import type { OtherVersion } from "../package-reader.js";

/** A package that asks a lock file for another. */
export interface LockImporter {
  /** Its folder below the lock file's, links followed; empty for that folder itself. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** What its manifest says of the package that it asks for. */
  readonly range: string | undefined;
}

export interface LockedPackage {
  /** Its own name, which differs from the one it is asked for by where that is an alias. */
  readonly name: string;
  readonly version: string;
  /** What was changed in it, by the package manager's own means. */
  readonly patch?: string;
}

/** What a lock file of npm's world says, whichever program wrote it. */
export interface NpmLock {
  /** The version of `name` that it gives to the importer; undefined when it says nothing of it. */
  lockedFor(name: string, importer: LockImporter): LockedPackage | undefined;
  /** Every version of the package of this name, and who asks for it. */
  versionsOf(name: string): readonly OtherVersion[];
}

/** Gathers who asks for which version. */
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

/** `name@version`, where the name may begin with `@`. */
export function splitAt(text: string): readonly [name: string, version: string] {
  const at = text.indexOf("@", 1);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
