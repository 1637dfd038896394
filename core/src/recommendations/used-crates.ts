/** A crate that another one of the workspace depends on. */
export interface UsedCrate {
  readonly name: string;
  readonly version: string;
}

/** The crates that a workspace uses, found by name as Cargo compares names: "-" and "_" are the same. */
export class UsedCrates {
  static readonly none = new UsedCrates([], "Cargo.lock");
  readonly #versions = new Map<string, UsedCrate[]>();

  constructor(
    crates: readonly UsedCrate[],
    /** The file that says so, as people know it. */
    private readonly origin: string,
  ) {
    for (const crate of crates) {
      const key = sameName(crate.name);
      this.#versions.set(key, [...(this.#versions.get(key) ?? []), crate]);
    }
  }

  /** The crate's name and versions and where they are from, such as "sqlx 0.8.1 (Cargo.lock)"; undefined when unused. */
  describe(name: string): string | undefined {
    const used = this.#versions.get(sameName(name));
    const [first] = used ?? [];
    if (!used || !first) return undefined;
    const versions = [...new Set(used.map(({ version }) => version))].sort();
    return `${first.name} ${versions.join(" and ")} (${this.origin})`;
  }
}

function sameName(name: string): string {
  return name.replaceAll("_", "-");
}
