import { SymposiumError } from "../../../base/symposium-error.js";
import type { CargoText } from "../../../base/cargo/unusable-cargo.js";
import type { FerrisServices } from "../services.js";
import { type CargoMetadata, type CargoPackage, parseMetadata } from "./cargo-metadata.js";
import type { CrateOrigin } from "./choose-locked-version.js";

/** Creates an error about a crate that can't be found, resolved or read. `message` must name the crate, `hint` the remedy. */
export function crateFault(message: string, hint: string): SymposiumError {
  return new SymposiumError("crate-unavailable", message, hint);
}

/** Returns the remedy for a corrupt crate archive; undefined for other problems. */
function damagedArchiveHint(problem: string): string | undefined {
  if (!/failed to unpack|failed to verify the checksum/.test(problem)) return undefined;
  return "Remove the damaged archive from the registry/cache folder in cargo's home, so that cargo downloads it again.";
}

/** The workspace around a folder, as a source of versions. */
export type Workspace =
  /** `Cargo.lock` determines the versions. */
  | { readonly kind: "locked"; readonly metadata: CargoMetadata }
  /** There is no usable `Cargo.lock`; manifests only restrict the versions. */
  | { readonly kind: "unlocked"; readonly metadata: CargoMetadata; readonly reason: string }
  | { readonly kind: "none"; readonly reason: string };

interface Remembered {
  readonly lockPath: string;
  readonly stamp: string;
  readonly workspace: Workspace;
}

/** Workspaces by folder, cached until their `Cargo.lock` changes. */
export class WorkspaceCrates {
  readonly #remembered = new Map<string, Remembered>();
  /** The last queued cargo query per folder. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(private readonly services: FerrisServices) {}

  /** Throws if cargo is missing or can't read the workspace. Concurrent calls for a folder share one query. */
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

  /** Reads only the manifests, for a workspace that cargo can't read completely. */
  async manifestsAt(cwd: string, signal: AbortSignal): Promise<Workspace> {
    const { metadata } = await this.#metadata(["--no-deps", "--offline"], cwd, signal);
    if (!metadata) return { kind: "none", reason: "The workspace cannot be read" };
    return { kind: "unlocked", metadata, reason: "cargo can't read the whole workspace" };
  }

  /** Drops the cached workspace, because its sources no longer exist. */
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
    // A locked package isn't downloaded yet; let cargo download it, as a build would.
    const online = await this.#metadata(["--locked"], cwd, signal);
    if (online.metadata) return { kind: "locked", metadata: online.metadata };
    const repair =
      damagedArchiveHint(online.problem) ??
      "Repair it (`cargo metadata` shows the whole message), or pass a version to ignore the workspace.";
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

/** Returns cargo's stdout; undefined if cargo failed. Throws if cargo is missing. */
function successOf(exit: CargoText): string | undefined {
  if (exit.kind === "missing") {
    throw crateFault(`The program "cargo" can't be started (${exit.reason}).`, exit.hint);
  }
  return exit.exitCode === 0 ? exit.stdout : undefined;
}

/** Returns cargo's error on one line, without progress lines. */
function problemOf(exit: CargoText): string {
  if (exit.kind === "missing") return exit.reason;
  const lines = exit.stderr.split("\n").map((line) => line.trim());
  const first = lines.findIndex((line) => line.startsWith("error"));
  const said = lines
    .slice(Math.max(first, 0))
    .filter((line) => line !== "" && line !== "Caused by:" && !/^required by package `ferris-scratch/.test(line));
  return said.join("; ").replace(/^error: /, "") || `cargo exited with code ${exit.exitCode}`;
}

const offlineHint =
  /offline|failed to download|Could not resolve host|Couldn't resolve|spurious network|Timeout|connect/i;

/**
 * Resolves `requirement` with cargo (`*` for the latest release) and downloads the sources to cargo's store. Runs in `cwd`, so that its
 * mirrors, vendored sources and offline mode apply. Throws with cargo's error.
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

/** Manifest of a separate workspace that enables as few of the crate's dependencies as possible. */
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
    return "Check the spelling of the name. Crates from private registries are found only if the workspace names them.";
  }
  if (/failed to select a version|is yanked/.test(problem)) return "Pass an existing version, or none for the latest.";
  if (offlineHint.test(problem)) return "Go online, or ask for a version that cargo has already downloaded.";
  return "Add the same dependency to a Cargo.toml to see cargo's whole answer.";
}
