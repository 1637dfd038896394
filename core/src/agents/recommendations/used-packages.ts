import { packageKey, type PackageKind } from "./manifests.js";

/** A package that a manifest of the workspace asks for. */
export interface UsedPackage {
  readonly kind: PackageKind;
  readonly name: string;
  /** The installed version where it is known, else what the manifest asks for. */
  readonly version: string | undefined;
  /** Whether it is there for the sake of another one alone. */
  readonly isIndirect?: boolean;
  /** The manifest, as a path below the workspace, or absolute where it is above it. */
  readonly manifest: string;
}

/** For people, before a name. */
const kindNames: Readonly<Record<PackageKind, string>> = {
  npm: "the npm package",
  python: "the Python package",
  go: "the Go module",
  maven: "the Java package",
};

/** The packages that a workspace's manifests ask for, by name. */
export class UsedPackages {
  readonly #used = new Map<string, UsedPackage[]>();

  constructor(packages: readonly UsedPackage[]) {
    for (const one of packages) {
      const key = `${one.kind} ${one.name}`;
      this.#used.set(key, [...(this.#used.get(key) ?? []), one]);
    }
  }

  /** Such as "the npm package vite 5.4.2 (web/package.json)"; undefined when unused. */
  describe(kind: PackageKind, name: string): string | undefined {
    const used = this.#used.get(`${kind} ${packageKey(kind, name)}`);
    const [first] = used ?? [];
    if (!used || !first) return undefined;
    const versions = [...new Set(used.flatMap(({ version }) => version ?? []))].sort();
    const manifests = [...new Set(used.map(({ manifest }) => manifest))].sort();
    const words = [kindNames[kind], first.name, ...(versions.length > 0 ? [versions.join(" and ")] : [])];
    return `${words.join(" ")} (${manifests.join(", ")})`;
  }
}
