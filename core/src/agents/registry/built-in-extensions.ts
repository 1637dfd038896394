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
    name: displayName(name),
    description,
    distribution: { symposium: { subcommand: "run-with", args: ["--proxy", name] } },
    origin: "built-in",
  }));
}

/** Returns the name for people: `ide-operations` gives "IDE operations", `editor-edits` gives "Editor edits". */
function displayName(id: string): string {
  const words = id.replaceAll("-", " ").replace(/^ide\b/, "IDE");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
