import { messageOf } from "../../../base/symposium-error.js";
import { emptyCatalogue, parseCatalogue, type Catalogue } from "../catalogue.js";
import { fault, type Fault } from "../../../base/problem.js";
import { fetchText } from "../../../settings/node/fetch-text.js";
import { readFile } from "node:fs/promises";
import { asObject } from "../../../base/rpc/json.js";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { join } from "node:path";
import type { Settings } from "../../../settings/settings-table.js";

export interface CatalogueSourceOptions {
  /** URLs that are tried in order until one returns a list. Without URLs, the list is empty. */
  readonly addresses: readonly string[];
  readonly cacheFile: string;
  /** Maximum age at which the cached list is used without a request, in milliseconds. Default 0. */
  readonly freshMs?: number;
  /** Whether to use the cached list regardless of its age and send no requests. */
  readonly isOffline?: boolean;
  /** Timeout for each address. Default 10 s. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly now?: () => Date;
}

export interface LoadedCatalogue {
  readonly catalogue: Catalogue;
  readonly from: "network" | "cache" | "none";
  /** Time at which the list was last known to be current; absent for `none`. */
  readonly fetchedAt?: Date;
  readonly warnings: readonly string[];
}

/** Published list, fetched at most once per object and cached for offline use. */
export class CatalogueSource {
  #loaded: Promise<LoadedCatalogue> | undefined;

  constructor(private readonly options: CatalogueSourceOptions) {}

  /** Loads the list. Never rejects: without an answer, returns the cached list or an empty list, with warnings. */
  load(): Promise<LoadedCatalogue> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async #load(): Promise<LoadedCatalogue> {
    const { addresses, cacheFile, freshMs = 0 } = this.options;
    if (addresses.length === 0) return { catalogue: emptyCatalogue, from: "none", warnings: [] };
    const stored = await readCachedCatalogue(cacheFile);
    // Ignores a list cached from an address that is no longer configured.
    const kept = stored && addresses.includes(stored.address) ? stored : undefined;
    if (this.options.isOffline === true) return keptOnly(kept);
    const ageMs = kept ? this.#now().getTime() - kept.fetchedAt.getTime() : Infinity;
    if (kept && ageMs >= 0 && ageMs < freshMs) {
      return { catalogue: kept.catalogue, from: "cache", fetchedAt: kept.fetchedAt, warnings: [] };
    }
    return this.#fetch(kept);
  }

  async #fetch(kept: CachedCatalogue | undefined): Promise<LoadedCatalogue> {
    const failures: string[] = [];
    for (const address of this.options.addresses) {
      const fetched = await this.#fetchFrom(address, kept);
      if (!("kind" in fetched)) return this.#keep(fetched);
      failures.push(`registry: ${fetched.message}`);
    }
    if (!kept) return { catalogue: emptyCatalogue, from: "none", warnings: [...failures, noList] };
    const { catalogue, fetchedAt } = kept;
    const age = describeAge(this.#now().getTime() - fetchedAt.getTime());
    return {
      catalogue,
      from: "cache",
      fetchedAt,
      warnings: [...failures, `registry: using the list from ${age} ago.`],
    };
  }

  async #fetchFrom(address: string, kept: CachedCatalogue | undefined): Promise<CachedCatalogue | Fault> {
    const { timeoutMs, maxBytes } = this.options;
    const same = kept?.address === address ? kept : undefined;
    const fetched = await fetchText(address, {
      etag: same?.etag,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
    if (fetched.kind === "problem") return fetched;
    const fetchedAt = this.#now();
    if (fetched.kind === "unchanged") {
      return same ? { ...same, fetchedAt } : fault(`${address} reported an unchanged list, but none is stored.`);
    }
    const { text, etag } = fetched;
    const catalogue = parseText(text);
    if ("kind" in catalogue) return fault(`${address} did not return a list of agents: ${catalogue.message}`);
    return { catalogue, fetchedAt, address, text, ...(etag === undefined ? {} : { etag }) };
  }

  async #keep(fetched: CachedCatalogue): Promise<LoadedCatalogue> {
    const { catalogue, fetchedAt } = fetched;
    const warnings: string[] = [];
    try {
      await writeCachedCatalogue(this.options.cacheFile, fetched);
    } catch (error) {
      warnings.push(`registry: the list can't be stored in ${this.options.cacheFile}: ${messageOf(error)}`);
    }
    return { catalogue, from: "network", fetchedAt, warnings };
  }

  #now(): Date {
    return this.options.now?.() ?? new Date();
  }
}

const noList = "registry: no list is stored either, so only built-in and configured entries are available.";

function keptOnly(kept: CachedCatalogue | undefined): LoadedCatalogue {
  if (!kept) return { catalogue: emptyCatalogue, from: "none", warnings: [] };
  return { catalogue: kept.catalogue, from: "cache", fetchedAt: kept.fetchedAt, warnings: [] };
}

function parseText(text: string): Catalogue | Fault {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return fault(messageOf(error));
  }
  const catalogue = parseCatalogue(value);
  if ("kind" in catalogue) return catalogue;
  const { agents, extensions, problems } = catalogue;
  const isUnusable = agents.length + extensions.length === 0 && problems.length > 0;
  return isUnusable ? fault("none of its entries can be used.") : catalogue;
}

/** Formats an age such as "3 days". Negative ages, after a clock change, count as zero. */
export function describeAge(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const;
  const [unit, length] = units.find((candidate) => ms >= candidate[1]) ?? ["minute", 60_000];
  const count = Math.max(0, Math.floor(ms / length));
  if (count === 0) return "less than a minute";
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

interface CachedCatalogue {
  readonly catalogue: Catalogue;
  readonly fetchedAt: Date;
  readonly address: string;
  readonly etag?: string;
  readonly text: string;
}

async function readCachedCatalogue(file: string): Promise<CachedCatalogue | undefined> {
  try {
    const stored = asObject(JSON.parse(await readFile(file, "utf8")));
    const { fetchedAt: date, address, etag, text } = stored ?? {};
    if (typeof date !== "string" || typeof address !== "string" || typeof text !== "string") return undefined;
    const catalogue = parseCatalogue(JSON.parse(text));
    const fetchedAt = new Date(date);
    if ("kind" in catalogue || Number.isNaN(fetchedAt.getTime())) return undefined;
    return { catalogue, fetchedAt, address, text, ...(typeof etag === "string" ? { etag } : {}) };
  } catch {
    // Unreadable cached lists are downloaded again.
    return undefined;
  }
}

/** Writes the list atomically. Rejects with the system's error. */
export async function writeCachedCatalogue(file: string, cached: CachedCatalogue): Promise<void> {
  const { fetchedAt, address, etag, text } = cached;
  await atomicWrite(file, `${JSON.stringify({ fetchedAt: fetchedAt.toISOString(), address, etag, text })}\n`);
}

interface RegistrySourcesOptions {
  readonly settings: Pick<Settings, "registryUrl" | "registryFallbackUrl" | "extensionRegistryUrl">;
  readonly configFolder: string;
  /** Maximum age at which a cached list is used without a request, in milliseconds. */
  readonly freshMs: number;
  readonly isOffline?: boolean;
}

export function registrySources(options: RegistrySourcesOptions): readonly CatalogueSource[] {
  const { settings, configFolder, freshMs, isOffline = false } = options;
  const { registryUrl, registryFallbackUrl, extensionRegistryUrl } = settings;
  const source = (file: string, ...addresses: string[]): CatalogueSource =>
    new CatalogueSource({
      // An empty first address disables the list.
      addresses: addresses[0] === "" ? [] : addresses.filter((address) => address !== ""),
      cacheFile: join(configFolder, "cache", file),
      freshMs,
      isOffline,
    });
  return [source("registry.json", registryUrl, registryFallbackUrl), source("extensions.json", extensionRegistryUrl)];
}
