import type { FerrisServices } from "../services.js";
import { type CargoPackage, parseMetadata } from "./cargo-metadata.js";
import { crateFault, damagedArchiveHint } from "./crate-fault.js";
import type { CrateOrigin } from "./crate-origin.js";
import { problemOf, successOf } from "./workspace-crates.js";

const offlineHint =
  /offline|failed to download|Could not resolve host|Couldn't resolve|spurious network|Timeout|connect/i;

/**
 * Has cargo resolve `requirement` (`*` for the latest release) and download the sources into its own store, with the
 * configuration that holds in `cwd`, so that mirrors, vendored sources and offline mode count. Throws with what cargo said.
 */
export async function resolveCrate(
  services: FerrisServices,
  origin: CrateOrigin,
  requirement: string,
  cwd: string,
  signal: AbortSignal,
): Promise<CargoPackage> {
  await using scratch = await services.scratchPackage(scratchManifest(origin, requirement));
  const metadata = ["metadata", "--format-version", "1", "--manifest-path", scratch.manifestPath];
  const exit = await services.cargo(metadata, cwd, signal);
  const stdout = successOf(exit);
  const parsed = stdout === undefined ? undefined : parseMetadata(stdout);
  const id = parsed && [...parsed.members].flatMap((member) => parsed.edges.get(member) ?? [])[0]?.id;
  const found = parsed?.packages.find((one) => one.id === id);
  if (found) return found;
  const problem = problemOf(exit);
  const wanted = requirement === "*" ? `the crate "${origin.name}"` : `"${requirement}" of the crate "${origin.name}"`;
  throw crateFault(`cargo cannot provide ${wanted}: ${problem}.`, hintFor(problem));
}

/** A workspace of its own, wherever it lies, with as few dependencies of the crate as can be. */
function scratchManifest({ name, registryIndex }: CrateOrigin, requirement: string): string {
  return [
    "[package]",
    'name = "ferris-scratch"',
    'version = "0.0.0"',
    'edition = "2021"',
    "[workspace]",
    "[dependencies.wanted]",
    `package = ${JSON.stringify(name)}`,
    `version = ${JSON.stringify(requirement)}`,
    ...(registryIndex === undefined ? [] : [`registry-index = ${JSON.stringify(registryIndex)}`]),
    "default-features = false",
    "",
  ].join("\n");
}

function hintFor(problem: string): string {
  const damaged = damagedArchiveHint(problem);
  if (damaged !== undefined) return damaged;
  if (/no matching package/.test(problem) && !/offline/.test(problem)) {
    return "Check the spelling of the name; crates of private registries are found only where the workspace names them.";
  }
  if (/failed to select a version|is yanked/.test(problem))
    return "Pass a version that exists, or none for the latest.";
  if (offlineHint.test(problem)) return "Go online, or ask for a version that cargo has downloaded already.";
  return "Try the same dependency in a Cargo.toml to see cargo's whole answer.";
}
