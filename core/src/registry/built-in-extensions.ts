import type { RegistryEntry } from "./registry-entry.js";

/** A proxy of this product, as an extension that can be chosen. */
interface BuiltInExtension {
  /** Its name in the configuration. */
  readonly name: string;
  /** One line for people. */
  readonly description: string;
}

/** The proxies of this product as entries; one that runs alone is this product with it as the only proxy. */
export function builtInExtensions(proxies: readonly BuiltInExtension[]): readonly RegistryEntry[] {
  return proxies.map(({ name, description }) => ({
    id: name,
    name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    description,
    distribution: { symposium: { subcommand: "run-with", args: ["--proxy", name] } },
    origin: "built-in",
  }));
}
