import { packageKey, type PackageKind } from "./manifests.js";

export interface UsedPackage {
  readonly kind: PackageKind;
  readonly name: string;
  /** Installed version if known, otherwise the manifest's requirement. */
  readonly version: string | undefined;
  readonly isIndirect?: boolean;
  /** Manifest path, relative to the workspace; absolute for manifests above the workspace. */
  readonly manifest: string;
}

const kindNames: Readonly<Record<PackageKind, string>> = {
  npm: "the npm package",
  python: "the Python package",
  go: "the Go module",
  maven: "the Java package",
};

export class UsedPackages {
  readonly #used = new Map<string, UsedPackage[]>();

  constructor(packages: readonly UsedPackage[]) {
    for (const one of packages) {
      const key = `${one.kind} ${one.name}`;
      this.#used.set(key, [...(this.#used.get(key) ?? []), one]);
    }
  }

  /** Formats a used package, such as "the npm package vite 5.4.2 (web/package.json)". Undefined if unused. */
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
