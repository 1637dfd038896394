import { asObject } from "@symposium-dev/core";

/** Languages that VS Code itself serves, even if the user has turned its extension for them off. */
const builtIn: ReadonlySet<string> = new Set([
  ...["typescript", "typescriptreact", "javascript", "javascriptreact", "jsx-tags"],
  ...["html", "css", "scss", "less", "json", "jsonc", "markdown"],
]);

/** Languages of the language servers that the adapter knows without configuration. */
const known = ["c", "cpp", "go", "objective-c", "objective-cpp", "python", "rust"];

/**
 * Returns whether an extension runs code for a language. The extension may only highlight the language or check its spelling, but in doubt
 * it serves the language. Extensions without code only contribute a grammar.
 */
export function serves(manifest: unknown, languageId: string): boolean {
  const { main, browser, activationEvents, contributes } = asObject(manifest) ?? {};
  if (typeof main !== "string" && typeof browser !== "string") return false;
  if (listOf(activationEvents).includes(`onLanguage:${languageId}`)) return true;
  // VS Code starts an extension for each language that the extension contributes.
  return listOf(asObject(contributes)?.["languages"]).some((language) => asObject(language)?.["id"] === languageId);
}

/** Returns whether VS Code or an installed extension serves a language; `manifests` are the extensions' package.json files. */
export function isServed(languageId: string, manifests: readonly unknown[]): boolean {
  return builtIn.has(languageId) || manifests.some((manifest) => serves(manifest, languageId));
}

/** Returns the languages for which the adapter has a server. `options` are those of the extension `ide-operations`. */
export function adapterLanguages(options: unknown): ReadonlySet<string> {
  const servers = asObject(asObject(options)?.["languageServers"]) ?? {};
  const added = Object.values(servers).flatMap((server) =>
    Object.keys(asObject(asObject(server)?.["languages"]) ?? {}),
  );
  return new Set([...known, ...added]);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
