import { product } from "./identity.mjs";
import { archiveAddress, platforms } from "./platforms.mjs";

/**
 * The product's entry in the ACP Registry. `checksums` has the SHA-256 of released archives by their name; a target
 * without one is named without.
 */
export function registryEntry(version, checksums = {}) {
  const { id, name, description, repository, authors, license, npmPackage } = product;
  const targets = platforms.filter(({ registry }) => registry !== undefined);
  return {
    id,
    name,
    version,
    description,
    repository,
    authors,
    license,
    distribution: {
      npx: { package: `${npmPackage}@${version}` },
      binary: Object.fromEntries(targets.map((row) => [row.registry, target(version, row, checksums)])),
    },
  };
}

function target(version, row, checksums) {
  const sha256 = checksums[row.archive];
  return {
    archive: archiveAddress(version, row),
    cmd: `./${row.executable}`,
    ...(sha256 !== undefined && { sha256 }),
  };
}
