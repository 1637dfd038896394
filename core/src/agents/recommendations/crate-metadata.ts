import { readPublishedDistribution } from "../registry/published-entry.js";
import { asObject, parsedObject } from "../../base/rpc/json.js";
import type { CargoDistribution, Distribution } from "../../settings/distribution.js";
import { Place, type Problem } from "../../base/problem.js";
import { describeValue, warnOfUnknown } from "../../settings/shape.js";
import { type ExtensionSource, namedSource } from "./extension-source.js";
import type { PackageKind } from "./manifests.js";
import { readRecommendation, type Recommendation } from "./recommendation.js";
import type { UsedCrate } from "./used-crates.js";

/** Kind of package whose manifest can contain a `symposium` table. */
type SpeakerKind = "crate" | Extract<PackageKind, "npm" | "python">;

interface Speech {
  /** Path of the `symposium` table in the manifest. */
  readonly path: readonly string[];
  /** Source kind of a plain name in the `recommended` list. */
  readonly source: "crate" | "npx" | "uvx";
}

const speeches: Readonly<Record<SpeakerKind, Speech>> = {
  crate: { path: ["package", "metadata", "symposium"], source: "crate" },
  npm: { path: ["symposium"], source: "npx" },
  python: { path: ["tool", "symposium"], source: "uvx" },
};
const runtimeKeys = ["binary", "args", "env"] as const;

export interface CrateMetadata {
  readonly name: string;
  readonly version: string;
  readonly symposium: unknown;
}

/** Parses the recommendations of a crate or package for its users. Problem paths start at the manifest's root. */
export function recommendedBy(
  { symposium }: Pick<CrateMetadata, "symposium">,
  speaker: SpeakerKind = "crate",
): {
  readonly recommendations: readonly Recommendation[];
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const { path, source } = speeches[speaker];
  const place = placeAt(path, problems);
  const table = asObject(symposium);
  if (!table) place.report(`${place.label} must be a table, got ${describeValue(symposium)}.`);
  warnOfUnknown(table ?? {}, speaker === "crate" ? ["recommended", ...runtimeKeys] : ["recommended"], place);
  const list = table?.["recommended"] ?? [];
  const at = place.child("recommended");
  if (!Array.isArray(list)) at.report(`${at.label} must be a list, got ${describeValue(list)}.`);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return { recommendations: items.flatMap((item, index) => readItem(item, at.child(index), source) ?? []), problems };
}

export function extensionDistribution({ name, version, symposium }: CrateMetadata): {
  readonly distribution: Distribution | undefined;
  readonly problems: readonly Problem[];
} {
  const table = asObject(symposium) ?? {};
  const runtime = runtimeKeys.flatMap((key) => (Object.hasOwn(table, key) ? [[key, table[key]] as const] : []));
  const problems: Problem[] = [];
  const cargo = { crate: name, version, ...Object.fromEntries(runtime) };
  const distribution = readPublishedDistribution({ cargo }, placeAt(speeches.crate.path, problems));
  return { distribution: distribution ?? undefined, problems };
}

/** Merges two distributions; the recommendation's fields override the crate's. */
export function completedBy(distribution: Distribution, crate: Distribution): Distribution {
  const [wanted, own]: (CargoDistribution | undefined)[] = [distribution.cargo, crate.cargo];
  if (!wanted || !own || wanted.crate !== own.crate) return distribution;
  // The crate's metadata describes its own version, so a recommendation for another version doesn't use it.
  return wanted.version !== undefined && wanted.version !== own.version
    ? distribution
    : { ...distribution, cargo: { ...own, ...wanted } };
}

function readItem(item: unknown, place: Place, kind: Speech["source"]): Recommendation | null {
  if (typeof item !== "string") return readRecommendation(item, place);
  const source: ExtensionSource | null = namedSource(kind, item, place);
  return source && { kind: "proxy", source, conditions: [] };
}

function placeAt(path: readonly string[], problems: Problem[]): Place {
  return path.reduce<Place>((place, part) => place.child(part), new Place(problems));
}

export interface SpeakingPackage extends CrateMetadata {
  readonly manifestPath: string;
  /** Whether another package of the workspace depends on this package. */
  readonly isUsed: boolean;
}

export interface CargoPackages {
  /** Packages that another package depends on. */
  readonly used: readonly UsedCrate[];
  /** Packages with a `symposium` table, sorted by name and version. */
  readonly speaking: readonly SpeakingPackage[];
}

/** Parses the output of `cargo metadata --format-version 1`. Returns undefined if the format differs. */
export function readCargoPackages(text: string): CargoPackages | undefined {
  const { packages: listed, resolve } = parsedObject(text) ?? {};
  const nodes = asObject(resolve)?.["nodes"];
  if (!Array.isArray(listed) || !Array.isArray(nodes)) return undefined;
  const needed = new Set(nodes.flatMap((node: unknown) => asObject(node)?.["dependencies"] ?? []));
  const packages = listed.flatMap((one: unknown) => listedPackage(one, needed)).sort(byNameAndVersion);
  return {
    used: packages.filter(({ isUsed }) => isUsed).map(({ name, version }) => ({ name, version })),
    speaking: packages.filter(({ symposium }) => symposium !== undefined),
  };
}

function listedPackage(value: unknown, needed: ReadonlySet<unknown>): SpeakingPackage[] {
  const { id, name, version, manifest_path: manifestPath, metadata } = asObject(value) ?? {};
  if (typeof name !== "string" || typeof version !== "string" || typeof manifestPath !== "string") return [];
  return [{ name, version, manifestPath, isUsed: needed.has(id), symposium: asObject(metadata)?.["symposium"] }];
}

function byNameAndVersion(a: UsedCrate, b: UsedCrate): number {
  const [left, right] = [`${a.name} ${a.version}`, `${b.name} ${b.version}`];
  return left < right ? -1 : left > right ? 1 : 0;
}
