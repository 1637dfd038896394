import { objectsOf, stringsOf, type Members } from "../../base/rpc/json.js";
import { fault, type Fault } from "../../base/problem.js";
import { TomlDocument } from "./toml-document.js";

export interface UsedCrate {
  readonly name: string;
  readonly version: string;
}

/** Crates that a workspace uses. Lookups treat "-" and "_" as equal, as Cargo does. */
export class UsedCrates {
  readonly #versions = new Map<string, UsedCrate[]>();

  constructor(
    crates: readonly UsedCrate[],
    private readonly origin: string,
  ) {
    for (const crate of crates) {
      const key = sameName(crate.name);
      this.#versions.set(key, [...(this.#versions.get(key) ?? []), crate]);
    }
  }

  /** Formats the crate with versions and source, such as "sqlx 0.8.1 (Cargo.lock)". Undefined if unused. */
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

/** Lists the dependencies in a `Cargo.lock`. Never throws; a fault includes the line. */
export function lockedCrates(text: string): readonly UsedCrate[] | Fault {
  const { value, problem } = TomlDocument.parse(text);
  if (!value) return fault(`line ${problem?.line ?? 1}: ${problem?.message ?? "it is empty."}`);
  const packages = objectsOf(value["package"]).flatMap(lockedPackage);
  const needed = new Set(packages.flatMap(({ dependencies }) => dependencies));
  return packages
    .filter(({ name, version }) => needed.has(name) || needed.has(`${name} ${version}`))
    .map(({ name, version }) => ({ name, version }));
}

interface LockedPackage extends UsedCrate {
  /** Names of the crate's dependencies, each followed by a version if several versions are locked. */
  readonly dependencies: readonly string[];
}

function lockedPackage({ name, version, dependencies }: Members): LockedPackage[] {
  if (typeof name !== "string" || typeof version !== "string") return [];
  // Cargo adds the registry as a third word if name and version are ambiguous.
  const needed = stringsOf(dependencies).map((one) => one.split(" ", 2).join(" "));
  return [{ name, version, dependencies: needed }];
}
