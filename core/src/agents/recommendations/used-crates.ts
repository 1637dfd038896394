import { objectsOf, stringsOf, type Members } from "../../base/rpc/json.js";
import { fault, type Fault } from "../../base/problem.js";
import { TomlDocument } from "./toml-document.js";

/** A crate that another one of the workspace depends on. */
export interface UsedCrate {
  readonly name: string;
  readonly version: string;
}

/** The crates that a workspace uses, found by name as Cargo compares names: "-" and "_" are the same. */
export class UsedCrates {
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

/** The crates that others depend on, by the text of a `Cargo.lock`. Never throws; the fault has the line. */
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
  /** A name, with a version where several are locked. */
  readonly dependencies: readonly string[];
}

function lockedPackage({ name, version, dependencies }: Members): LockedPackage[] {
  if (typeof name !== "string" || typeof version !== "string") return [];
  // The third word is the registry, where even name and version leave it open.
  const needed = stringsOf(dependencies).map((one) => one.split(" ", 2).join(" "));
  return [{ name, version, dependencies: needed }];
}
