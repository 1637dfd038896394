import { stat } from "node:fs/promises";
import { join } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import { messageOf } from "../../../base/symposium-error.js";
import { lockedCrates, UsedCrates } from "../used-crates.js";
import { filesOf } from "../condition.js";
import { UsedPackages } from "../used-packages.js";
import { type SpeakingManifest, workspaceManifests } from "./workspace-manifests.js";
import {
  type CargoPackages,
  extensionDistribution,
  readCargoPackages,
  recommendedBy,
  type SpeakingPackage,
} from "../crate-metadata.js";
import { type OfferedExtension, offeredExtensions, type RecommendationList } from "../offered-extensions.js";
import { type ParsedRecommendations, parseRecommendations } from "../recommendation.js";
import { TomlDocument } from "../toml-document.js";
import { JsonDocument } from "../../../settings/json-document.js";
import { formatProblem } from "../../../base/problem.js";
import type { ProxyEntry } from "../../../settings/proxy-entry.js";
import type { FolderTrust } from "../../../settings/trust/folder-trust.js";
import type { Watchdog } from "../../../base/node/orphan-watchdog.js";
import type { CargoText } from "../../../base/cargo/unusable-cargo.js";
import { metadataFromFiles } from "../../../base/cargo/node/metadata-from-files.js";
import { cargoText } from "../../../base/cargo/node/run-cargo.js";
import { loadPublishedList } from "../../registry/node/published-list.js";
import { loadUntrustedBytes, loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

export interface RecommendExtensionsOptions {
  readonly workspaceFolder: string;
  readonly configFolder: string;
  readonly shipped: string;
  /** URL of a published list; empty disables it. */
  readonly remoteAddress: string;
  /** Maximum age at which a cached published list is used without a request, in milliseconds. */
  readonly freshMs: number;
  readonly proxies: readonly ProxyEntry[];
  readonly env: NodeJS.ProcessEnv;
  readonly trust: FolderTrust;
  /**
   * Whether to start Cargo, default true. False if sandboxed agents can write the project's files, because Cargo runs programs that those
   * files name.
   */
  readonly startsCargo?: boolean;
  readonly signal: AbortSignal;
  readonly watchdog?: Watchdog;
}

export interface RecommendedExtensions {
  readonly offers: readonly OfferedExtension[];
  readonly warnings: readonly string[];
}

interface LoadedList extends RecommendationList {
  readonly warnings: readonly string[];
}

/**
 * Lists extensions to offer in a workspace. Symposium, a published list, the user and the workspace can recommend extensions, and so can
 * the workspace's crates and packages. Installs nothing. Rejects only if `signal` is aborted.
 */
export async function recommendExtensions(options: RecommendExtensionsOptions): Promise<RecommendedExtensions> {
  const { workspaceFolder, configFolder, env, trust, startsCargo = true, signal, watchdog } = options;
  const shipped = toList("shipped", "Symposium's recommendations.toml", parseRecommendations(options.shipped));
  const [remote, users, workspaces, packages, manifests] = await Promise.all([
    remoteList(options),
    localList(join(configFolder, "recommendations.toml")),
    localList(join(workspaceFolder, ".symposium", "recommendations.toml")),
    workspacePackages({ folder: workspaceFolder, env, trust, startsCargo, signal, ...(watchdog ? { watchdog } : {}) }),
    workspaceManifests(workspaceFolder, env),
  ]);
  const crates = await Promise.all(packages.speaking.map(crateList));
  const others = await Promise.all(manifests.speaking.map(packageList));
  const lists = [shipped, remote, users, workspaces, ...crates, ...others];
  const asked = lists.flatMap(({ recommendations }) =>
    recommendations.flatMap((one) => one.conditions.flatMap(filesOf)),
  );
  const offers = offeredExtensions({
    lists,
    facts: {
      crates: new UsedCrates(packages.used, "Cargo.lock"),
      packages: new UsedPackages(manifests.used),
      files: await existing(workspaceFolder, new Set(asked)),
    },
    proxies: options.proxies,
    extensionCrates: packages.speaking,
  });
  const warnings = [...lists.flatMap((list) => list.warnings), ...packages.warnings, ...manifests.warnings];
  return { offers, warnings };
}

async function localList(file: string): Promise<LoadedList> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await loadUntrustedBytes(file));
    return toList(file, file, parseRecommendations(text));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return { from: file, recommendations: [], warnings: [] };
    const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it isn't UTF-8 text" : messageOf(error);
    return { from: file, recommendations: [], warnings: [`${file} cannot be read: ${reason}.`] };
  }
}

const maxListBytes = 1024 * 1024;

async function remoteList(options: RecommendExtensionsOptions): Promise<LoadedList> {
  const { remoteAddress: address, configFolder, freshMs } = options;
  const cacheFile = join(configFolder, "cache", "recommendations.json");
  const { list, warnings } = await loadPublishedList({
    addresses: address === "" ? [] : [address],
    cacheFile,
    freshMs,
    maxBytes: maxListBytes,
    name: "recommendations",
    parse: (text) => {
      const parsed = parseRecommendations(text);
      const failures = parsed.problems.map((problem) => formatProblem(problem, address));
      return parsed.isBroken ? { failures } : { list: parsed };
    },
  });
  const found = toList(address, address, list ?? parseRecommendations(""));
  return { ...found, warnings: [...warnings, ...found.warnings] };
}

function toList(from: string, file: string, { recommendations, problems }: ParsedRecommendations): LoadedList {
  return { from, recommendations, warnings: problems.map((problem) => formatProblem(problem, file)) };
}

async function crateList(crate: SpeakingPackage): Promise<LoadedList> {
  const { recommendations, problems } = recommendedBy(crate);
  const all = [...problems, ...extensionDistribution(crate).problems];
  const document =
    all.length > 0 ? TomlDocument.parse(await loadUntrustedText(crate.manifestPath).catch(() => "")) : undefined;
  const name = `${crate.name} ${crate.version}`;
  return {
    from: crate.manifestPath,
    reason: `the crate ${name}, which you use, recommends it`,
    recommendations: crate.isUsed ? recommendations : [],
    warnings: document ? all.map((problem) => formatProblem(document.locate(problem), crate.manifestPath)) : [],
  };
}

async function packageList({ kind, name, version, manifestPath, symposium }: SpeakingManifest): Promise<LoadedList> {
  const { recommendations, problems } = recommendedBy({ symposium }, kind);
  const text = problems.length > 0 ? await loadUntrustedText(manifestPath).catch(() => "") : "";
  const document = kind === "npm" ? JsonDocument.parse(text) : TomlDocument.parse(text);
  const what = `the ${kind === "npm" ? "npm" : "Python"} package ${[name, version].filter(Boolean).join(" ")}`;
  return {
    from: manifestPath,
    reason: `${what}, which you use, recommends it`,
    recommendations,
    warnings: problems.map((problem) => formatProblem(document.locate(problem), manifestPath)),
  };
}

async function existing(folder: string, paths: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    [...paths].map(async (path) => ((await stat(join(folder, path)).catch(() => undefined)) ? [path] : [])),
  );
  return new Set(found.flat());
}

interface WorkspacePackagesOptions extends Pick<RecommendExtensionsOptions, "env" | "trust" | "signal" | "watchdog"> {
  readonly folder: string;
  readonly startsCargo: boolean;
}

interface WorkspacePackages extends CargoPackages {
  readonly warnings: readonly string[];
}

const nothing: WorkspacePackages = { used: [], speaking: [], warnings: [] };
/** Time limit for Cargo in milliseconds. Offline, Cargo answers quickly unless it waits for another Cargo's lock. */
const timeoutMs = 20_000;
const metadata = ["metadata", "--offline", "--locked", "--format-version", "1"];

/**
 * Lists the Cargo packages used in `folder` without network access or changes: from Cargo in a trusted folder, otherwise from files, or
 * else from `Cargo.lock`. Rejects only if `signal` is aborted.
 */
async function workspacePackages(options: WorkspacePackagesOptions): Promise<WorkspacePackages> {
  if ((await fileAbove(options.folder, "Cargo.toml")) === undefined) return nothing;
  const asked = await askCargo(options);
  options.signal.throwIfAborted();
  if (typeof asked !== "string") return { ...asked, warnings: [] };
  const lock = await fileAbove(options.folder, "Cargo.lock");
  const limit = `cargo could not list the dependencies: ${asked}.`;
  if (lock === undefined) return { ...nothing, warnings: [`${limit} There is no Cargo.lock to use instead.`] };
  const crates = lockedCrates(await loadUntrustedText(lock).catch(() => ""));
  if ("kind" in crates) return { ...nothing, warnings: [limit, `${lock}: ${crates.message}`] };
  const rest = `Only the crate names in ${lock} are used; recommendations made by the crates themselves are unknown.`;
  return { used: crates, speaking: [], warnings: [`${limit} ${rest}`] };
}

/**
 * Returns the packages, or the reason why Cargo can't list them. Retries for the host platform alone, since dependencies of other platforms
 * may never have been downloaded.
 */
async function askCargo(options: WorkspacePackagesOptions): Promise<CargoPackages | string> {
  const limit = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
  const isTrusted = options.startsCargo && (await options.trust.isTrusted(options.folder));
  const cargo = (...words: readonly string[]): Promise<CargoText> => {
    if (!isTrusted) return metadataFromFiles(words, options.folder, options.env);
    // Without this variable, rustup would download a missing toolchain.
    const env = { ...options.env, RUSTUP_AUTO_INSTALL: "0" };
    return cargoText(words, { cwd: options.folder, env, signal: limit, watchdog: options.watchdog });
  };
  try {
    const whole = await cargo(...metadata);
    if (whole.kind === "missing" || whole.exitCode === 0 || !isTrusted) return packagesOf(whole);
    const version = await cargo("-vV");
    const [, host] = version.kind === "exited" ? (/^host: (\S+)$/m.exec(version.stdout) ?? []) : [];
    const here = host === undefined ? undefined : packagesOf(await cargo(...metadata, "--filter-platform", host));
    return here === undefined || typeof here === "string" ? packagesOf(whole) : here;
  } catch {
    return `it did not answer within ${timeoutMs / 1000} s`;
  }
}

function packagesOf(exit: CargoText): CargoPackages | string {
  if (exit.kind === "missing") return `${exit.reason}. ${exit.hint.replace(/\.$/, "")}`;
  if (exit.exitCode === 0) return readCargoPackages(exit.stdout) ?? "it did not return a list of packages";
  const said = exit.stderr.split("\n").find((line) => line.startsWith("error: "));
  return said?.slice("error: ".length) ?? `it exited with code ${exit.exitCode}`;
}

async function fileAbove(folder: string, name: string): Promise<string | undefined> {
  for (const at of foldersUp(folder)) {
    const file = join(at, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) return file;
  }
  return undefined;
}
