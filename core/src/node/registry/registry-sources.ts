import { join } from "node:path";
import type { Settings } from "../../settings/settings-table.js";
import { CatalogueSource } from "./catalogue-source.js";

export interface RegistrySourcesOptions {
  readonly settings: Pick<Settings, "registryUrl" | "registryFallbackUrl" | "extensionRegistryUrl">;
  /** The folder of the product's own files; lists are kept in `cache` there. */
  readonly configFolder: string;
  /** A kept list that is younger is used without asking. */
  readonly freshMs: number;
  /** Nothing is asked. */
  readonly isOffline?: boolean;
}

/** The published lists that the settings name: the agents', and where there is one that of extensions alone. */
export function registrySources(options: RegistrySourcesOptions): readonly CatalogueSource[] {
  const { settings, configFolder, freshMs, isOffline = false } = options;
  const { registryUrl, registryFallbackUrl, extensionRegistryUrl } = settings;
  const source = (file: string, ...addresses: string[]): CatalogueSource =>
    new CatalogueSource({
      // Without the first address the list is switched off.
      addresses: addresses[0] === "" ? [] : addresses.filter((address) => address !== ""),
      cacheFile: join(configFolder, "cache", file),
      freshMs,
      isOffline,
    });
  return [source("registry.json", registryUrl, registryFallbackUrl), source("extensions.json", extensionRegistryUrl)];
}
