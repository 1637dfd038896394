/** A version pinned by a lock file or requirements list. */
export interface LockedDistribution {
  readonly name: string;
  readonly version: string;
  /** PEP 508 markers. The version applies if at least one marker is true, or if there are none. */
  readonly markers: readonly string[];
  /** Whether the distribution is a project folder, whose version isn't published in a package index. */
  readonly isLocal?: boolean;
}

export interface PythonLock {
  /** Distributions by normalized name. */
  readonly distributions: ReadonlyMap<string, readonly LockedDistribution[]>;
  /**
   * Dependents by normalized distribution name. `by` is the dependent as `name@version`; `version` is the version it gets, if the file
   * states that.
   */
  readonly wanted: ReadonlyMap<string, readonly { readonly by: string; readonly version: string | undefined }[]>;
}

/** Collects a lock file's data without duplicates, since some files have several tables per version. */
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
