import { join } from "node:path";
import { messageOf } from "../../../base/symposium-error.js";
import type { Settings } from "../../../settings/settings-table.js";
import { type Catalogue, emptyCatalogue, parseCatalogue } from "../catalogue.js";
import { type ListPlace, type LoadedList, loadPublishedList } from "./published-list.js";

export type LoadedCatalogue = Omit<LoadedList<Catalogue>, "list"> & { readonly catalogue: Catalogue };

/** Published list of agents and extensions, fetched at most once per object and cached for offline use. */
export class CatalogueSource {
  #loaded: Promise<LoadedCatalogue> | undefined;

  constructor(private readonly place: ListPlace) {}

  /** Loads the list. Never rejects: without an answer, returns the cached list or an empty list, with warnings. */
  load(): Promise<LoadedCatalogue> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async #load(): Promise<LoadedCatalogue> {
    const { list, warnings, ...loaded } = await loadPublishedList({
      ...this.place,
      name: "registry",
      parse: parseText,
    });
    const hasNone = list === undefined && warnings.length > 0;
    return { ...loaded, catalogue: list ?? emptyCatalogue, warnings: hasNone ? [...warnings, noList] : warnings };
  }
}

const noList = "registry: no list is stored either, so only built-in and configured entries are available.";

function parseText(text: string, address: string): { list: Catalogue } | { failures: readonly string[] } {
  const failed = (reason: string) => ({
    failures: [`registry: ${address} did not return a list of agents: ${reason}`],
  });
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return failed(messageOf(error));
  }
  const catalogue = parseCatalogue(value);
  if ("kind" in catalogue) return failed(catalogue.message);
  const { agents, extensions, problems } = catalogue;
  const isUnusable = agents.length + extensions.length === 0 && problems.length > 0;
  return isUnusable ? failed("none of its entries can be used.") : { list: catalogue };
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
