import type { CargoMetadata, CargoPackage, DeclaredDependency } from "./cargo-metadata.js";
import { newestFirst, type VersionRequirement } from "./crate-version.js";

/** A locked package with the reason for its version. */
export interface LockedChoice {
  readonly package: CargoPackage;
  readonly why: string;
}

/**
 * Chooses a locked version that the requirement accepts: a workspace member or its direct dependency if possible, then the newest. Returns
 * undefined if none matches. Treats `-` and `_` as equal and accepts the names that members use for the crate.
 */
export function chooseLocked(
  metadata: CargoMetadata,
  crateName: string,
  requirement?: VersionRequirement,
): LockedChoice | undefined {
  const named = lockedPackages(metadata, crateName);
  const fitting = named.filter((one) => requirement?.accepts(one.version) !== false);
  const direct = directDependencies(metadata);
  const preferred = fitting.filter((one) => direct.has(one.id) || metadata.members.has(one.id));
  const candidates = (preferred.length > 0 ? preferred : fitting).toSorted((a, b) => newestFirst(a.version, b.version));
  const chosen = candidates[0];
  if (chosen === undefined) return undefined;
  return { package: chosen, why: reasonFor(chosen, named, candidates, metadata, preferred.length > 0, requirement) };
}

export function lockedPackages(metadata: CargoMetadata, crateName: string): CargoPackage[] {
  const wanted = plainName(crateName);
  const named = metadata.packages.filter((one) => plainName(one.name) === wanted);
  if (named.length > 0) return named;
  const ids = new Set(
    [...metadata.members].flatMap((member) =>
      (metadata.edges.get(member) ?? []).filter((edge) => plainName(edge.name) === wanted).map((edge) => edge.id),
    ),
  );
  return metadata.packages.filter((one) => ids.has(one.id));
}

/** Normalizes `-` to `_`, since cargo treats both as equal. */
function plainName(name: string): string {
  return name.replaceAll("-", "_");
}

function directDependencies(metadata: CargoMetadata): ReadonlySet<string> {
  return new Set([...metadata.members].flatMap((id) => (metadata.edges.get(id) ?? []).map((edge) => edge.id)));
}

function reasonFor(
  chosen: CargoPackage,
  named: readonly CargoPackage[],
  candidates: readonly CargoPackage[],
  metadata: CargoMetadata,
  isDirect: boolean,
  requirement: VersionRequirement | undefined,
): string {
  if (metadata.members.has(chosen.id)) return "it is a package of this workspace";
  const reasons = [`the Cargo.lock of this workspace has it${originOf(chosen)}`];
  if (requirement) reasons.push(`it satisfies "${requirement.text}"`);
  if (named.length > 1) {
    const versions = named
      .map((one) => one.version)
      .toSorted(newestFirst)
      .join(", ");
    const ground = isDirect ? "workspace members depend on it directly" : "no workspace member depends on it directly";
    const pick = candidates.length > 1 ? "this is the newest candidate" : "this is the only candidate";
    reasons.push(`of the locked versions ${versions}, ${pick} (${ground})`);
  }
  return reasons.join("; ");
}

/** Returns `, from …` for packages that aren't from crates.io. */
export function originOf({ source }: CargoPackage): string {
  if (source === undefined) return ", from a local folder";
  if (isPublicRegistry(source)) return "";
  return `, from ${source.replace(/^(?:git|registry|sparse)\+/, "")}`;
}

/** Whether the source is crates.io. Cargo uses this name for its mirrors too. */
function isPublicRegistry(source: string | undefined): boolean {
  return source === "registry+https://github.com/rust-lang/crates.io-index";
}

/** Name and registry for finding unlocked versions of a crate. */
export interface CrateOrigin {
  readonly name: string;
  /** Index of the registry, in the format of a manifest's `registry-index`; undefined for the default registry. */
  readonly registryIndex: string | undefined;
}

/**
 * Returns the registry from which the workspace gets a crate. A crate known only from another registry is never looked up in the default
 * one, where anybody may own its name.
 */
export function originOfCrate(metadata: CargoMetadata | undefined, crateName: string): CrateOrigin {
  if (!metadata) return { name: crateName, registryIndex: undefined };
  const known = [...lockedPackages(metadata, crateName), ...declaredDependencies(metadata, crateName)];
  const inRegistries = known.filter(({ source }) => isRegistry(source));
  const chosen = inRegistries.find(({ source }) => isPublicRegistry(source)) ?? inRegistries[0];
  return {
    name: (chosen ?? known[0])?.name ?? crateName,
    registryIndex: isPublicRegistry(chosen?.source) ? undefined : chosen?.source?.replace(/^registry\+/, ""),
  };
}

/**
 * Returns all declarations of a crate in manifests, the workspace's first. Only the workspace's declarations match by the name used in
 * code.
 */
export function declaredDependencies(metadata: CargoMetadata, crateName: string): DeclaredDependency[] {
  const wanted = plainName(crateName);
  const members = metadata.packages.filter(({ id }) => metadata.members.has(id));
  const ofMembers = members.flatMap(({ dependencies }) => dependencies);
  const ofAll = metadata.packages.flatMap(({ dependencies }) => dependencies);
  return [
    ...ofMembers.filter(({ name, rename }) => [name, rename ?? name].some((one) => plainName(one) === wanted)),
    ...ofAll.filter(({ name }) => plainName(name) === wanted),
  ];
}

/** Whether a package source is a registry, not a repository or folder. */
export function isRegistry(source: string | undefined): boolean {
  return source !== undefined && /^(?:registry|sparse)\+/.test(source);
}
