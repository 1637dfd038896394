import { SymposiumError } from "../../../base/symposium-error.js";
import type { CargoText } from "../../../base/cargo/cargo.js";
import type { FerrisServices } from "../services.js";
import { type CargoMetadata, type CargoPackage, parseMetadata } from "./cargo-metadata.js";
import type { CrateOrigin } from "./locked-choice.js";

/** A crate that cannot be found, resolved or read: `message` names the crate, `hint` says what to try. */
export function crateFault(message: string, hint: string): SymposiumError {
  return new SymposiumError("crate-unavailable", message, hint);
}

/** What to do when cargo's problem is an archive that is not what was published; undefined for other problems. */
function damagedArchiveHint(problem: string): string | undefined {
  if (!/failed to unpack|failed to verify the checksum/.test(problem)) return undefined;
  return "Remove the damaged archive from the registry/cache folder of cargo's home, so that cargo downloads it again.";
}

/** What the workspace around a folder says about versions. */
export type Workspace =
  /** `Cargo.lock` decides. */
  | { readonly kind: "locked"; readonly metadata: CargoMetadata }
  /** There is no usable `Cargo.lock`; manifests only say what versions would do. */
  | { readonly kind: "unlocked"; readonly metadata: CargoMetadata; readonly reason: string }
  /** There is no workspace. */
  | { readonly kind: "none"; readonly reason: string };

interface Remembered {
  readonly lockPath: string;
  readonly stamp: string;
  readonly workspace: Workspace;
}

/** Workspaces by folder, as cargo sees them; remembered until their `Cargo.lock` changes. */
export class WorkspaceCrates {
  readonly #remembered = new Map<string, Remembered>();
  /** The last of the questions that wait for cargo, by folder. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(private readonly services: FerrisServices) {}

  /** Throws when cargo is missing, or cannot read the workspace. Questions that come meanwhile wait for the answer. */
  async at(cwd: string, signal: AbortSignal): Promise<Workspace> {
    const known = await this.#rememberedAt(cwd);
    if (known) return known;
    const earlier = this.#reading.get(cwd) ?? Promise.resolve();
    const turn = earlier
      .catch(() => undefined)
      .then(async () => (await this.#rememberedAt(cwd)) ?? this.#readAnew(cwd, signal));
    this.#reading.set(cwd, turn);
    try {
      return await turn;
    } finally {
      if (this.#reading.get(cwd) === turn) this.#reading.delete(cwd);
    }
  }

  async #rememberedAt(cwd: string): Promise<Workspace | undefined> {
    const known = this.#remembered.get(cwd);
    if (known && (await this.services.fileStamp(known.lockPath)) === known.stamp) return known.workspace;
    return undefined;
  }

  async #readAnew(cwd: string, signal: AbortSignal): Promise<Workspace> {
    this.#remembered.delete(cwd);
    const workspace = await this.#read(cwd, signal);
    if (workspace.kind !== "locked") return workspace;
    const lockPath = this.services.join(workspace.metadata.workspaceRoot, "Cargo.lock");
    const stamp = await this.services.fileStamp(lockPath);
    if (stamp !== undefined) this.#remembered.set(cwd, { lockPath, stamp, workspace });
    return workspace;
  }

  /** What can still be said of a workspace that cargo cannot read whole: what its manifests ask for. */
  async manifestsAt(cwd: string, signal: AbortSignal): Promise<Workspace> {
    const { metadata } = await this.#metadata(["--no-deps", "--offline"], cwd, signal);
    if (!metadata) return { kind: "none", reason: "The workspace cannot be read" };
    return { kind: "unlocked", metadata, reason: "cargo cannot read the workspace whole" };
  }

  /** The next question asks cargo again: what it named is no longer there. */
  forget(cwd: string): void {
    this.#remembered.delete(cwd);
  }

  async #read(cwd: string, signal: AbortSignal): Promise<Workspace> {
    const offline = await this.#metadata(["--locked", "--offline"], cwd, signal);
    if (offline.metadata) return { kind: "locked", metadata: offline.metadata };
    if (/could not find `Cargo\.toml`/.test(offline.problem)) {
      return { kind: "none", reason: `There is no Cargo.toml in ${cwd} or above it` };
    }
    if (offline.problem.includes("--locked")) {
      const manifests = await this.#metadata(["--no-deps", "--offline"], cwd, signal);
      const reason = "the Cargo.lock is missing or out of date";
      if (manifests.metadata) return { kind: "unlocked", metadata: manifests.metadata, reason };
    }
    // Something locked was never downloaded: cargo may do so, as it would for a build.
    const online = await this.#metadata(["--locked"], cwd, signal);
    if (online.metadata) return { kind: "locked", metadata: online.metadata };
    const repair =
      damagedArchiveHint(online.problem) ??
      "Repair it (`cargo metadata` shows the whole message), or pass a version to look past the workspace.";
    throw crateFault(`cargo cannot read the workspace at ${cwd}: ${online.problem}.`, repair);
  }

  async #metadata(
    args: readonly string[],
    cwd: string,
    signal: AbortSignal,
  ): Promise<{ readonly metadata: CargoMetadata | undefined; readonly problem: string }> {
    const exit = await this.services.cargo(["metadata", "--format-version", "1", ...args], cwd, signal);
    const stdout = successOf(exit);
    const metadata = stdout === undefined ? undefined : parseMetadata(stdout);
    return { metadata, problem: metadata ? "" : problemOf(exit) };
  }
}

/** What cargo printed when all went well, else undefined. Throws when there is no cargo. */
function successOf(exit: CargoText): string | undefined {
  if (exit.kind === "missing") {
    throw crateFault(`The program "cargo" cannot be started (${exit.reason}).`, exit.hint);
  }
  return exit.exitCode === 0 ? exit.stdout : undefined;
}

/** What cargo complained about, without its progress lines, on one line. */
function problemOf(exit: CargoText): string {
  if (exit.kind === "missing") return exit.reason;
  const lines = exit.stderr.split("\n").map((line) => line.trim());
  const first = lines.findIndex((line) => line.startsWith("error"));
  const said = lines
    .slice(Math.max(first, 0))
    .filter((line) => line !== "" && line !== "Caused by:" && !/^required by package `ferris-scratch/.test(line));
  return said.join("; ").replace(/^error: /, "") || `cargo ended with exit code ${exit.exitCode}`;
}

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
