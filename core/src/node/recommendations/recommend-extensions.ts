import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../base/symposium-error.js";
import type { SpeakingPackage } from "../../recommendations/cargo-packages.js";
import { filesOf } from "../../recommendations/condition.js";
import { extensionDistribution, recommendedBy } from "../../recommendations/crate-metadata.js";
import {
  type OfferedExtension,
  offeredExtensions,
  type RecommendationList,
} from "../../recommendations/offered-extensions.js";
import { type ParsedRecommendations, parseRecommendations } from "../../recommendations/recommendation-file.js";
import { TomlDocument } from "../../recommendations/toml-document.js";
import { UsedCrates } from "../../recommendations/used-crates.js";
import { formatProblem } from "../../settings/problem.js";
import type { ProxyEntry } from "../../settings/proxy-entry.js";
import type { FolderTrust } from "../../trust/folder-trust.js";
import type { Watchdog } from "../watchdog.js";
import { remoteRecommendations } from "./remote-recommendations.js";
import { workspacePackages } from "./workspace-packages.js";

export interface RecommendExtensionsOptions {
  /** Absolute. */
  readonly workspaceFolder: string;
  /** The folder of the product's own files. */
  readonly configFolder: string;
  /** The text of the recommendations.toml that comes with the product. */
  readonly shipped: string;
  /** Of a published list; empty means none. */
  readonly remoteAddress: string;
  /** A kept published list that is younger is used without asking. */
  readonly freshMs: number;
  /** Proxies of the user's configuration. */
  readonly proxies: readonly ProxyEntry[];
  readonly env: NodeJS.ProcessEnv;
  readonly trust: FolderTrust;
  readonly signal: AbortSignal;
  readonly watchdog?: Watchdog;
}

export interface RecommendedExtensions {
  readonly offers: readonly OfferedExtension[];
  /** Lines for people: files, recommendations and dependencies that could not be read. */
  readonly warnings: readonly string[];
}

/** A list with what is wrong in it. */
interface LoadedList extends RecommendationList {
  readonly warnings: readonly string[];
}

/**
 * The extensions that a workspace is offered: by the product's file, a published one, the user's, the workspace's and
 * the crates that the workspace uses. Only reads; rejects only when `signal` is aborted.
 */
export async function recommendExtensions(options: RecommendExtensionsOptions): Promise<RecommendedExtensions> {
  const { workspaceFolder, configFolder, env, trust, signal, watchdog } = options;
  const shipped = toList("shipped", "recommendations.toml of this product", parseRecommendations(options.shipped));
  const [remote, users, workspaces, packages] = await Promise.all([
    remoteList(options),
    localList(join(configFolder, "recommendations.toml")),
    localList(join(workspaceFolder, ".symposium", "recommendations.toml")),
    workspacePackages({ folder: workspaceFolder, env, trust, signal, ...(watchdog ? { watchdog } : {}) }),
  ]);
  const crates = await Promise.all(packages.speaking.map(crateList));
  const lists = [shipped, remote, users, workspaces, ...crates];
  const asked = lists.flatMap(({ recommendations }) =>
    recommendations.flatMap((one) => one.conditions.flatMap(filesOf)),
  );
  const offers = offeredExtensions({
    lists,
    facts: {
      crates: new UsedCrates(packages.used, "Cargo.lock"),
      files: await existing(workspaceFolder, new Set(asked)),
    },
    proxies: options.proxies,
    extensionCrates: packages.speaking,
  });
  return { offers, warnings: [...lists.flatMap(({ warnings }) => warnings), ...packages.warnings] };
}

async function localList(file: string): Promise<LoadedList> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
    return toList(file, file, parseRecommendations(text));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return { from: file, recommendations: [], warnings: [] };
    const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8 text" : messageOf(error);
    return { from: file, recommendations: [], warnings: [`${file} cannot be read: ${reason}.`] };
  }
}

async function remoteList(options: RecommendExtensionsOptions): Promise<LoadedList> {
  const { remoteAddress: address, configFolder, freshMs } = options;
  const cacheFile = join(configFolder, "cache", "recommendations.json");
  const { parsed, warnings } = await remoteRecommendations({ address, cacheFile, freshMs });
  const list = toList(address, address, parsed ?? parseRecommendations(""));
  return { ...list, warnings: [...warnings, ...list.warnings] };
}

function toList(from: string, file: string, { recommendations, problems }: ParsedRecommendations): LoadedList {
  return { from, recommendations, warnings: problems.map((problem) => formatProblem(problem, file)) };
}

/** What a used crate recommends. The text of its manifest is read only to say where something is wrong. */
async function crateList(crate: SpeakingPackage): Promise<LoadedList> {
  const { recommendations, problems } = recommendedBy(crate);
  const all = [...problems, ...extensionDistribution(crate).problems];
  const document =
    all.length > 0 ? TomlDocument.parse(await readFile(crate.manifestPath, "utf8").catch(() => "")) : undefined;
  const name = `${crate.name} ${crate.version}`;
  return {
    from: crate.manifestPath,
    reason: `the crate ${name}, which you use, recommends it`,
    recommendations: crate.isUsed ? recommendations : [],
    warnings: document ? all.map((problem) => formatProblem(document.locate(problem), crate.manifestPath)) : [],
  };
}

/** Those of `paths` that exist in `folder`. */
async function existing(folder: string, paths: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    [...paths].map(async (path) => ((await stat(join(folder, path)).catch(() => undefined)) ? [path] : [])),
  );
  return new Set(found.flat());
}
