// Bills of materials as CycloneDX 1.6: one for each artefact, the same for the same bytes.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../set-up.mjs";
import { product } from "./identity.mjs";
import { cargoPackages, npmPackages, npmPurl } from "./locked-versions.mjs";

/**
 * The bill of the artefact `name`, whose SHA-256 is `sha256`. `parts` are its packages: `purl`, `name`, `version`, `license`
 * if known, `hash` with its algorithm `alg`, and the names of the `dependencies`.
 */
export function billOfMaterials({ name, version, sha256, parts }) {
  const ref = `artefact:${name}`;
  const byName = Map.groupBy(parts, (part) => part.name);
  const refsOf = (names) => names.flatMap((other) => (byName.get(other) ?? []).map(({ purl }) => purl)).sort();
  const needed = new Set(parts.flatMap(({ dependencies = [] }) => refsOf(dependencies)));
  const direct = parts.map(({ purl }) => purl).filter((purl) => !needed.has(purl));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(`${name} ${sha256}`)}`,
    version: 1,
    metadata: {
      component: {
        ...{ type: "application", "bom-ref": ref, name, version },
        hashes: [{ alg: "SHA-256", content: sha256 }],
        licenses: [{ license: { id: product.license } }],
      },
    },
    components: parts.map(({ purl, name: of, version: at, license, hash, alg }) => ({
      ...{ type: "library", "bom-ref": purl, name: of, version: at, purl },
      ...(hash !== undefined && { hashes: [{ alg, content: hash }] }),
      ...(license !== undefined && { licenses: [{ expression: license }] }),
    })),
    dependencies: [
      { ref, dependsOn: direct.sort() },
      ...parts.map(({ purl, dependencies = [] }) => ({ ref: purl, dependsOn: refsOf(dependencies) })),
    ],
  };
}

/** Bundled npm packages as parts, with what the lock file says of each. */
export async function npmParts(packages) {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const locked = npmPackages(lock);
  return packages.map(({ path, name, version, license }) => {
    const entry =
      locked.find((other) => other.path === path) ?? locked.find((other) => isSame(other, { name, version }));
    const { hash, dependencies = [] } = entry ?? {};
    return { purl: npmPurl(name, version), name, version, license, hash, alg: "SHA-512", dependencies };
  });
}

/** The runtime inside of an executable, an npm package that `tools/bun` locks. */
export async function runtimePart({ bun }, { name, version, license }) {
  const lock = JSON.parse(await readFile(join(root, "scripts/release/tools/bun/package-lock.json"), "utf8"));
  const { purl, hash } = npmPackages(lock).find((other) => other.name === `@oven/${bun.package}`);
  return { purl, name, version, license, hash, alg: "SHA-512" };
}

/** The crates of one of Zed's extensions. */
export async function crateParts(crate) {
  const text = await readFile(join(root, "zed-extension", crate, "Cargo.lock"), "utf8");
  return cargoPackages(text).map((part) => ({ ...part, alg: "SHA-256" }));
}

function isSame(left, right) {
  return left.name === right.name && left.version === right.version;
}

/** A UUID of version 8, whose bits the text decides. */
function uuidOf(text) {
  const digits = createHash("sha256").update(text).digest("hex");
  const variant = "89ab"[Number.parseInt(digits[16], 16) % 4];
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}
