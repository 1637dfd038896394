import type { CargoMetadata, CargoPackage } from "./cargo-metadata.js";
import { newestFirst, parseVersion } from "./crate-version.js";
import type { VersionRequirement } from "./version-requirement.js";

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
  const fitting = named.filter((one) => {
    const version = parseVersion(one.version);
    return requirement === undefined || (version !== undefined && requirement.accepts(version));
  });
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
export function plainName(name: string): string {
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
export function isPublicRegistry(source: string | undefined): boolean {
  return source === "registry+https://github.com/rust-lang/crates.io-index";
}
