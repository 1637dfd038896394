/** A version of a distribution as a lock file or a list of requirements pins it. */
export interface LockedDistribution {
  readonly name: string;
  readonly version: string;
  /** It holds where one of these does; everywhere when there is none. */
  readonly markers: readonly string[];
  /** As conda names platforms, such as `linux-64`; any when absent. */
  readonly platform?: string;
  /** It is a folder of the project: its version is none of an index. */
  readonly isLocal?: boolean;
}

export interface PythonLock {
  /** By name, as indexes compare them. */
  readonly distributions: ReadonlyMap<string, readonly LockedDistribution[]>;
  /** By name, who asks for it, as `name@version`, each with the version it gets where the file says so. */
  readonly wanted: ReadonlyMap<string, readonly { readonly by: string; readonly version: string | undefined }[]>;
}

/** Gathers what a lock file says, each thing once: some have a table for each extra or platform of a version. */
export class LockBuilder implements PythonLock {
  readonly distributions = new Map<string, LockedDistribution[]>();
  readonly wanted = new Map<string, { by: string; version: string | undefined }[]>();
  readonly #said = new Set<string>();

  add(key: string, one: LockedDistribution): void {
    if (this.#isSaid("locked", key, one)) return;
    const known = this.distributions.get(key);
    if (known) known.push(one);
    else this.distributions.set(key, [one]);
  }

  want(key: string, by: string, version?: string): void {
    if (this.#isSaid("wanted", key, [by, version])) return;
    const known = this.wanted.get(key);
    if (known) known.push({ by, version });
    else this.wanted.set(key, [{ by, version }]);
  }

  #isSaid(...what: readonly unknown[]): boolean {
    const text = JSON.stringify(what);
    const isKnown = this.#said.has(text);
    this.#said.add(text);
    return isKnown;
  }
}
