import type { RegistryEntry } from "./registry-entry.js";

interface BuiltInExtension {
  readonly name: string;
  readonly description: string;
}

export function builtInExtensions(proxies: readonly BuiltInExtension[]): readonly RegistryEntry[] {
  return proxies.map(({ name, description }) => ({
    id: name,
    name: displayName(name),
    description,
    distribution: { symposium: { subcommand: "run-with", args: ["--proxy", name] } },
    origin: "built-in",
  }));
}

/** Formats an id for display: `ide-operations` gives "IDE operations", `editor-edits` gives "Editor edits". */
function displayName(id: string): string {
  const words = id.replaceAll("-", " ").replace(/^ide\b/, "IDE");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
