import { asObject } from "../rpc/json.js";
import type { CrateMetadata } from "./crate-metadata.js";
import type { UsedCrate } from "./used-crates.js";

/** A package with words for this product. */
export interface SpeakingPackage extends CrateMetadata {
  readonly manifestPath: string;
  /** Whether another package of the workspace depends on it. */
  readonly isUsed: boolean;
}

export interface CargoPackages {
  /** Packages that another one depends on. */
  readonly used: readonly UsedCrate[];
  /** In the order of name and version. */
  readonly speaking: readonly SpeakingPackage[];
}

/** Reads what `cargo metadata --format-version 1` prints. Undefined when it is something else. */
export function readCargoPackages(text: string): CargoPackages | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { packages: listed, resolve } = asObject(value) ?? {};
  const nodes = asObject(resolve)?.["nodes"];
  if (!Array.isArray(listed) || !Array.isArray(nodes)) return undefined;
  const needed = new Set(nodes.flatMap((node: unknown) => asObject(node)?.["dependencies"] ?? []));
  const packages = listed.flatMap((one: unknown) => toPackage(one, needed)).sort(byNameAndVersion);
  return {
    used: packages.filter(({ isUsed }) => isUsed).map(({ name, version }) => ({ name, version })),
    speaking: packages.filter(({ symposium }) => symposium !== undefined),
  };
}

function toPackage(value: unknown, needed: ReadonlySet<unknown>): SpeakingPackage[] {
  const { id, name, version, manifest_path: manifestPath, metadata } = asObject(value) ?? {};
  if (typeof name !== "string" || typeof version !== "string" || typeof manifestPath !== "string") return [];
  return [{ name, version, manifestPath, isUsed: needed.has(id), symposium: asObject(metadata)?.["symposium"] }];
}

function byNameAndVersion(a: UsedCrate, b: UsedCrate): number {
  const [left, right] = [`${a.name} ${a.version}`, `${b.name} ${b.version}`];
  return left < right ? -1 : left > right ? 1 : 0;
}
