import type { CargoMetadata, CargoPackage, DeclaredDependency } from "./cargo-metadata.js";
import { newestFirst, type VersionRequirement } from "./crate-version.js";

/** A package that `Cargo.lock` names, and why it and no other version of it. */
export interface LockedChoice {
  readonly package: CargoPackage;
  readonly why: string;
}

/**
 * The locked version of a crate: of several the one that workspace members depend on directly, else the newest;
 * with a requirement only those it accepts count. Undefined when none is left. `-` and `_` are the same in names,
 * and a name that members use in code or in their manifests counts too.
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

/** All locked versions of a crate. */
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

/** The name with `-` and `_` alike, as cargo compares names. */
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
    const pick = candidates.length > 1 ? "this is the newest of those in question" : "this is the only one in question";
    reasons.push(`of the locked versions ${versions}, ${pick} (${ground})`);
  }
  return reasons.join("; ");
}

/** `, from …` for packages that are not of crates.io. */
export function originOf({ source }: CargoPackage): string {
  if (source === undefined) return ", from a local folder";
  if (isPublicRegistry(source)) return "";
  return `, from ${source.replace(/^(?:git|registry|sparse)\+/, "")}`;
}

/** Whether a package source is crates.io, which cargo names like this for its mirrors too. */
function isPublicRegistry(source: string | undefined): boolean {
  return source === "registry+https://github.com/rust-lang/crates.io-index";
}

/** Under which name, and where, cargo is to look for versions of a crate that are not locked. */
export interface CrateOrigin {
  readonly name: string;
  /** The index of the registry, as `registry-index` of a manifest has it; undefined for the default registry. */
  readonly registryIndex: string | undefined;
}

/**
 * Where the workspace takes a crate from: a name that it knows from another registry alone is never looked up in the
 * default one, where it may be anybody's.
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

/** What manifests say of a crate, those of the workspace first; only theirs count by the name that the crate goes by in code. */
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

/** Whether a package source is a registry, and no repository or folder. */
export function isRegistry(source: string | undefined): boolean {
  return source !== undefined && /^(?:registry|sparse)\+/.test(source);
}
