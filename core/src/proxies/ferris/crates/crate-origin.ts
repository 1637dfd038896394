import type { CargoMetadata, DeclaredDependency } from "./cargo-metadata.js";
import { isPublicRegistry, lockedPackages, plainName } from "./locked-choice.js";

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
